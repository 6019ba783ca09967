"""German and Japanese documents are found by questions in their language, ten of each.

Documents and questions were written before any was searched; a question has an inflected form or
another order of words than its document. Nineteen of twenty come first.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from srag_mcp.pipeline.ingest import ingest
from srag_mcp.retrieval.search import search
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool

GERMAN = {
    "freibad": (
        "Bekanntmachung der Stadt Lauen\n\nDas Freibad am Weiher bleibt bis zum 14. Juni "
        "geschlossen. Bei der Prüfung der Filteranlage wurden undichte Rohre gefunden, die vor "
        "dem Beginn der Saison ersetzt werden müssen. Jahreskarten behalten ihre Gültigkeit.",
        "Warum ist das Freibad geschlossen?",
    ),
    "buecherei": (
        "Bekanntmachung der Stadt Lauen\n\nDie Stadtbücherei erhebt ab Januar keine Mahngebühren "
        "mehr für Kinderbücher. Für Erwachsene beträgt die Gebühr weiterhin 50 Cent je Woche. "
        "Verlorene Bücher sind wie bisher zum Neupreis zu ersetzen.",
        "Welche Mahngebühr verlangt die Bücherei von Erwachsenen?",
    ),
    "bruecke": (
        "Bekanntmachung der Stadt Lauen\n\nDie Holzbrücke über den Mühlbach wird wegen morscher "
        "Pfeiler für Fahrzeuge über 3,5 Tonnen gesperrt. Fußgänger und Radfahrer können sie "
        "weiter benutzen. Eine Umleitung über die Steingasse ist ausgeschildert.",
        "Dürfen Radfahrer die gesperrte Brücke benutzen?",
    ),
    "hunde": (
        "Bekanntmachung der Stadt Lauen\n\nVom 1. April bis zum 15. Juli sind Hunde im Auwald an "
        "der Leine zu führen, damit brütende Vögel nicht gestört werden. Verstöße werden mit "
        "einem Bußgeld von bis zu 200 Euro geahndet.",
        "Wann müssen Hunde an die Leine?",
    ),
    "markt": (
        "Bekanntmachung der Stadt Lauen\n\nDer Wochenmarkt zieht während der Sanierung des "
        "Rathausplatzes auf den Parkplatz der Turnhalle um. Die Händler bauen ihre Stände "
        "donnerstags ab sieben Uhr auf. Toiletten stehen in der Turnhalle bereit.",
        "Wohin zieht der Wochenmarkt um?",
    ),
    "abfall": (
        "Bekanntmachung der Stadt Lauen\n\nSperrmüll wird künftig nur noch auf Anmeldung "
        "abgeholt. Je Haushalt sind zwei Abholungen im Jahr kostenlos. Elektrogeräte nimmt der "
        "Wertstoffhof in der Ziegelei jederzeit an.",
        "Wie oft wird Sperrmüll im Jahr kostenlos abgeholt?",
    ),
    "kita": (
        "Bekanntmachung der Stadt Lauen\n\nDie Kindertagesstätte Sonnenhügel nimmt im Herbst "
        "achtzehn weitere Kinder auf. Der Anbau mit zwei Gruppenräumen wurde aus Mitteln des "
        "Landes gefördert. Anmeldungen sind bis Ende Mai möglich.",
        "Womit wurde der Anbau der Kindertagesstätte gefördert?",
    ),
    "friedhof": (
        "Bekanntmachung der Stadt Lauen\n\nAuf dem Alten Friedhof werden elf kranke Linden "
        "gefällt und durch Feldahorn ersetzt. Die Arbeiten dauern drei Tage; die Kapelle bleibt "
        "in dieser Zeit geöffnet.",
        "Welche Bäume ersetzen die gefällten Linden?",
    ),
    "wasser": (
        "Bekanntmachung der Stadt Lauen\n\nWegen eines Rohrbruchs in der Gerberstraße ist das "
        "Trinkwasser im Ortsteil Hardt bis auf Weiteres abzukochen. Das Gesundheitsamt "
        "untersucht täglich Proben. Tankwagen stehen am Feuerwehrhaus.",
        "Wo muss das Trinkwasser abgekocht werden?",
    ),
    "orgel": (
        "Bekanntmachung der Stadt Lauen\n\nDie Orgel der Marienkirche erklingt nach zwei Jahren "
        "Restaurierung wieder. Die Werkstatt hat 412 Pfeifen gereinigt und den Blasebalg "
        "erneuert. Der Eintritt zum ersten Konzert ist frei.",
        "Wie viele Pfeifen der Orgel wurden gereinigt?",
    ),
}
JAPANESE = {
    "pool": (
        "青葉町からのお知らせ\n\n町民プールはろ過装置の故障のため、七月二十日まで休業します。"
        "回数券の有効期限は一か月延長されます。",
        "町民プールはなぜ休業していますか。",
    ),
    "library": (
        "青葉町からのお知らせ\n\n図書館の開館時間が四月から午後八時までに変わります。"
        "月曜日は今までどおり休館です。返却ポストはいつでも使えます。",
        "図書館は何時まで開いていますか。",
    ),
    "bridge": (
        "青葉町からのお知らせ\n\n橋脚のひび割れが見つかったため、桜橋は大型車の通行を禁止します。"
        "歩行者と自転車は通ることができます。",
        "桜橋を自転車で通れますか。",
    ),
    "bears": (
        "青葉町からのお知らせ\n\n北山の登山道で熊が目撃されました。早朝と夕方の入山を控え、"
        "鈴を身につけてください。",
        "熊はどこで目撃されましたか。",
    ),
    "market": (
        "青葉町からのお知らせ\n\n駅前広場の工事期間中、朝市は小学校の駐車場で開かれます。"
        "出店者の受付は六時からです。",
        "工事中の朝市はどこで開かれますか。",
    ),
    "waste": (
        "青葉町からのお知らせ\n\n粗大ごみの収集は予約制になりました。一世帯につき年に二回まで無料です。"
        "家電製品は収集できません。",
        "粗大ごみは年に何回まで無料ですか。",
    ),
    "nursery": (
        "青葉町からのお知らせ\n\nひまわり保育園の新しい園舎が完成しました。県の補助金により建てられ、"
        "定員は百二十人に増えます。",
        "保育園の定員は何人に増えますか。",
    ),
    "trees": (
        "青葉町からのお知らせ\n\n中央公園の枯れた松を十一本伐採し、けやきを植えます。"
        "作業のあいだ、東側の入口は閉鎖されます。",
        "公園の松を伐採した後に何を植えますか。",
    ),
    "water": (
        "青葉町からのお知らせ\n\n水道管の破裂により、川端地区では水道水を煮沸してから飲んでください。"
        "給水車は消防署の前に来ます。",
        "給水車はどこに来ますか。",
    ),
    "bell": (
        "青葉町からのお知らせ\n\n修理を終えた寺の鐘が大晦日に再び鳴らされます。"
        "鋳造から三百年を記念した催しで、参加は無料です。",
        "寺の鐘はいつ鳴らされますか。",
    ),
}
CASES = {
    f"{language}_{name}.txt": case
    for language, cases in (("de", GERMAN), ("ja", JAPANESE))
    for name, case in cases.items()
}


@pytest.fixture(scope="module")
def notices(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    """All twenty in one folder; without vectors, so that words alone find them."""
    folder = Path(tmp_path_factory.mktemp("notices"))
    for name, (text, _) in CASES.items():
        (folder / name).write_text(text, encoding="utf-8")
    settings = Settings(workers=1, home=tmp_path_factory.mktemp("home"))
    ingest(folder, settings, schema=Schema(title="Notice", entity="notices", attributes=()))
    with QueryPool() as worker:
        yield Corpus(folder, worker, settings.home)


UNFOUND = pytest.mark.xfail(
    strict=True, reason="Mahngebühr and Mahngebühren share no stem in English; no word is the same"
)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=UNFOUND if name == "de_buecherei.txt" else ()) for name in CASES],
)
def test_a_question_in_its_language_finds_the_document_first(notices: Corpus, name: str) -> None:
    hits = search(notices, CASES[name][1]).hits
    assert [hit.document_id for hit in hits[:1]] == [name]
