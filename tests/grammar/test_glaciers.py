"""Questions about glaciers: whole answers, and what is refused and why."""

from datetime import date

import pytest

from tests.grammar.tables import Answer, Refusal, answer, glaciers, refusal

WORLD = glaciers()

ANSWERED: list[tuple[str, Answer]] = [
    (
        "How many glaciers are in Norway?",
        Answer("number of records where country is 'Norway'", [(2,)]),
    ),
    (
        "How many glaciers reach the sea?",
        Answer("number of records where reaches_sea holds", [(3,)]),
    ),
    (
        "How many glaciers do not reach the sea?",
        Answer("number of records where reaches_sea does not hold", [(4,)]),
    ),
    ("How many countries are there?", Answer("number of different country", [(3,)])),
    ("How many mountain ranges are there?", Answer("number of different range", [(7,)])),
    (
        "Which country has the most glaciers?",
        Answer("country with the highest number of records", [("Austria",), ("Chile",)]),
    ),
    (
        "Which country has the largest total area?",
        Answer("country with the highest sum of area", [("Chile",)]),
    ),
    (
        "Which glacier has the largest area?",
        Answer("glacier where area is the highest", [("Rio Claro",)]),
    ),
    (
        "Which is the largest glacier?",
        Answer("glacier where area is the highest", [("Rio Claro",)]),
    ),
    (
        "What is the thickness of Koldfonna?",
        Answer("thickness where glacier is 'Koldfonna'", [(160.0,)]),
    ),
    (
        "What is the total area of the glaciers in Chile?",
        Answer("sum of area where country is 'Chile'", [(206.5,)]),
    ),
    (
        "What is the total area per country?",
        Answer(
            "sum of area, for each country", [("Austria", 15.7), ("Chile", 206.5), ("Norway", 60.5)]
        ),
    ),
    (
        "What is the average thickness by range?",
        Answer(
            "average of thickness, for each range",
            [
                ("Carnic Alps", 15.0),
                ("Cordillera Darwin", 225.0),
                ("Lyngen", 90.0),
                ("Ortler", 55.0),
                ("Paine", 130.0),
                ("Svartisen", 160.0),
                ("Venediger", 70.0),
            ],
        ),
    ),
    (
        "Which glaciers are larger than 20 km2?",
        Answer(
            "different glacier where area is above 20 km2",
            [("Koldfonna",), ("Lomo Blanco",), ("Rio Claro",), ("Ventisquero Sur",)],
        ),
    ),
    (
        "How many glaciers are larger than 2000 ha?",
        Answer("number of records where area is above 20 km2", [(4,)]),
    ),
    (
        "Which glacier has the highest yearly retreat?",
        Answer("glacier where yearly_retreat is the highest", [("Grauferner",)]),
    ),
    ("How many huts are there in total?", Answer("sum of n_huts", [(9,)])),
    ("How many glaciers have no huts?", Answer("number of records where n_huts is 0", [(3,)])),
    (
        "Which glaciers have more than one hut?",
        Answer(
            "different glacier where n_huts is above 1",
            [("Grauferner",), ("Koldfonna",), ("Steinkees",)],
        ),
    ),
    (
        "Which country has the most huts?",
        Answer("country with the highest sum of n_huts", [("Austria",)]),
    ),
    (
        "Who surveyed Eiskar?",
        Answer("different surveyor where glacier is 'Eiskar'", [("Jonas Egger",)]),
    ),
    (
        "How many glaciers did Jonas Egger survey?",
        Answer("number of records where surveyor is 'Jonas Egger'", [(3,)]),
    ),
    (
        "How many glaciers were surveyed by Jonas Egger?",
        Answer("number of records where surveyor is 'Jonas Egger'", [(3,)]),
    ),
    (
        "When was Grauferner surveyed?",
        Answer("survey_date where glacier is 'Grauferner'", [(date(2021, 9, 9),)]),
    ),
    (
        "Which glacier was surveyed first?",
        Answer("glacier where survey_date is the lowest", [("Varnbreen",)]),
    ),
    ("When was the last survey?", Answer("highest survey_date", [(date(2023, 9, 5),)])),
    (
        "How many glaciers were surveyed in 2021?",
        Answer("number of records where survey_date is between 2021-01-01 and 2021-12-31", [(2,)]),
    ),
    (
        "How many glaciers were surveyed before 2021?",
        Answer("number of records where survey_date is before 2021-01-01", [(2,)]),
    ),
    (
        "How many glaciers were surveyed since 2022?",
        Answer("number of records where survey_date is not before 2022-01-01", [(4,)]),
    ),
    (
        "How many glaciers have their lowest point below 500 m?",
        Answer("number of records where lowest_point is below 500 m", [(4,)]),
    ),
    (
        "What is the lowest point of Steinkees?",
        Answer("lowest_point where glacier is 'Steinkees'", [(2180,)]),
    ),
    ("What is the highest lowest point?", Answer("highest lowest_point", [(2410,)])),
    (
        "What is the difference between the thickness of Rio Claro and Eiskar?",
        Answer(
            "difference between (highest thickness where glacier is 'Rio Claro') and (highest "
            "thickness where glacier is 'Eiskar')",
            [(225.0,)],
        ),
    ),
    (
        "What is the difference between the thickness and the yearly retreat of Eiskar?",
        Answer(
            "difference between (highest thickness where glacier is 'Eiskar') and (highest "
            "yearly_retreat where glacier is 'Eiskar')",
            [(12.5,)],
        ),
    ),
    (
        "What is the difference between the largest and the smallest area?",
        Answer("difference between (highest area) and (lowest area)", [(109.8,)]),
    ),
    (
        "Is Koldfonna in Norway?",
        Answer(
            "whether there is a record where glacier is 'Koldfonna' and country is 'Norway'",
            [(True,)],
        ),
    ),
    (
        "Is Koldfonna in Chile?",
        Answer(
            "whether there is a record where glacier is 'Koldfonna' and country is 'Chile'",
            [(False,)],
        ),
    ),
    (
        "Is Rio Claro larger than Koldfonna?",
        Answer(
            "whether the highest area where glacier is 'Rio Claro' is above the highest area "
            "where glacier is 'Koldfonna'",
            [(True,)],
        ),
    ),
    (
        "Which is larger, Rio Claro or Koldfonna?",
        Answer(
            "glacier where glacier is 'Rio Claro' or 'Koldfonna' and area is the highest "
            "among records where glacier is 'Rio Claro' or 'Koldfonna'",
            [("Rio Claro",)],
        ),
    ),
    (
        "Is Siri Dahl a surveyor?",
        Answer("whether there is a record where surveyor is 'Siri Dahl'", [(True,)]),
    ),
    (
        "Is Norway a country?",
        Answer("whether there is a record where country is 'Norway'", [(True,)]),
    ),
    (
        "What percentage of glaciers is in Chile?",
        Answer(
            "100 × (number of records where country is 'Chile') divided by (number of records)",
            [(37.5,)],
        ),
    ),
    (
        "Is the average thickness in Chile higher than in Norway?",
        Answer(
            "whether the average of thickness where country is 'Chile' is above the average "
            "of thickness where country is 'Norway'",
            [(True,)],
        ),
    ),
    (
        "How much larger is the average area in Chile than in Norway?",
        Answer(
            "difference between (average of area where country is 'Chile') and (average of "
            "area where country is 'Norway')",
            [(38.5833,)],
        ),
    ),
    (
        "Which glaciers are in the Cordillera Darwin?",
        Answer(
            "different glacier where range is 'Cordillera Darwin'",
            [("Rio Claro",), ("Ventisquero Sur",)],
        ),
    ),
    (
        "How many glaciers are in the Cordillera?",
        Answer("number of records where range is 'Cordillera Darwin'", [(2,)]),
    ),
    (
        "How many glaciers are in Cordillera Darwin or Paine?",
        Answer("number of records where range is 'Cordillera Darwin' or 'Paine'", [(3,)]),
    ),
    (
        "List the five largest glaciers.",
        Answer(
            "the first 5 glacier, by falling area",
            [
                ("Rio Claro",),
                ("Ventisquero Sur",),
                ("Koldfonna",),
                ("Lomo Blanco",),
                ("Varnbreen",),
            ],
        ),
    ),
    (
        "Top 3 glaciers by area",
        Answer(
            "the first 3 glacier, by falling area",
            [("Rio Claro",), ("Ventisquero Sur",), ("Koldfonna",)],
        ),
    ),
    (
        "Which two countries have the most glaciers?",
        Answer("the first 2 country by highest number of records", [("Austria",), ("Chile",)]),
    ),
    (
        "Name the countries with more than two glaciers.",
        Answer("each country whose number of records is above 2", [("Austria",), ("Chile",)]),
    ),
    (
        "What is the median yearly retreat of glaciers that reach the sea?",
        Answer("median of yearly_retreat where reaches_sea holds", [(11.5,)]),
    ),
    (
        "What is the average thickness of glaciers with an area above 10 km2 and below 80 km2?",
        Answer(
            "average of thickness where area is above 10 km2 and area is below 80 km2", [(147.5,)]
        ),
    ),
    (
        "Which glacier is the largest in Austria?",
        Answer(
            "glacier where country is 'Austria' and area is the highest among records where "
            "country is 'Austria'",
            [("Steinkees",)],
        ),
    ),
    (
        "Which glacier in Chile has the smallest area?",
        Answer(
            "glacier where country is 'Chile' and area is the lowest among records where "
            "country is 'Chile'",
            [("Lomo Blanco",)],
        ),
    ),
    (
        "How many glaciers have a thickness of 90 m?",
        Answer("number of records where thickness is 90 m", [(1,)]),
    ),
    (
        "Which glaciers do not reach the sea?",
        Answer(
            "different glacier where reaches_sea does not hold",
            [("Eiskar",), ("Grauferner",), ("Steinkees",), ("Varnbreen",)],
        ),
    ),
    (
        "Which glaciers are between 5 and 15 km2?",
        Answer(
            "different glacier where area is between 5 km2 and 15 km2",
            [("Grauferner",), ("Steinkees",), ("Varnbreen",)],
        ),
    ),
    ("Which glacier is the smallest?", Answer("glacier where area is the lowest", [("Eiskar",)])),
    (
        "What is the combined area of the glaciers in Austria?",
        Answer("sum of area where country is 'Austria'", [(15.7,)]),
    ),
    (
        "What is the area of the largest glacier in Norway?",
        Answer("highest area where country is 'Norway'", [(48.0,)]),
    ),
    (
        "What is the thickness of the glacier with the largest area?",
        Answer("thickness where area is the highest", [(240.0,)]),
    ),
    (
        "Who surveyed the most glaciers?",
        Answer("surveyor with the highest number of records", [("Jonas Egger",)]),
    ),
    (
        "Who surveyed the largest glacier?",
        Answer("surveyor where area is the highest", [("Paz Rojas",)]),
    ),
    (
        "Where is Koldfonna?",
        Answer("different country where glacier is 'Koldfonna'", [("Norway",)]),
    ),
    (
        "In which country is Koldfonna?",
        Answer("different country where glacier is 'Koldfonna'", [("Norway",)]),
    ),
    (
        "Which country is Koldfonna in?",
        Answer("different country where glacier is 'Koldfonna'", [("Norway",)]),
    ),
    (
        "Which range does Grauferner belong to?",
        Answer("different range where glacier is 'Grauferner'", [("Ortler",)]),
    ),
    (
        "Does Chile have more glaciers than Austria?",
        Answer(
            "whether the number of records where country is 'Chile' is above the number of "
            "records where country is 'Austria'",
            [(False,)],
        ),
    ),
    (
        "Is the total area in Chile larger than 200 km2?",
        Answer("whether the sum of area where country is 'Chile' is above 200", [(True,)]),
    ),
    (
        "Is there a glacier in Chile that does not reach the sea?",
        Answer(
            "whether there is a record where country is 'Chile' and reaches_sea does not hold",
            [(False,)],
        ),
    ),
    (
        "Is Koldfonna in Svartisen?",
        Answer(
            "whether there is a record where glacier is 'Koldfonna' and range is 'Svartisen'",
            [(True,)],
        ),
    ),
    (
        "Which countries have glaciers that reach the sea?",
        Answer("different country where reaches_sea holds", [("Chile",), ("Norway",)]),
    ),
    (
        "How many countries have glaciers that reach the sea?",
        Answer("number of different country where reaches_sea holds", [(2,)]),
    ),
    (
        "How many ranges are there in Chile?",
        Answer("number of different range where country is 'Chile'", [(2,)]),
    ),
    (
        "Which surveyor surveyed the largest total area?",
        Answer("surveyor with the highest sum of area", [("Paz Rojas",)]),
    ),
    (
        "What are the countries of the three largest glaciers?",
        Answer("the first 3 country, by falling area", [("Chile",), ("Chile",), ("Norway",)]),
    ),
    (
        "What is the total area of Koldfonna and Rio Claro?",
        Answer("sum of area where glacier is 'Koldfonna' or 'Rio Claro'", [(158.0,)]),
    ),
    (
        "How many glaciers have a thickness under 100 and an area over 10?",
        Answer("number of records where thickness is below 100 m and area is above 10 km2", [(1,)]),
    ),
    (
        "How many glaciers are not in Chile and do not reach the sea?",
        Answer(
            "number of records where country is not 'Chile' and reaches_sea does not hold", [(4,)]
        ),
    ),
    (
        "How many glaciers are in Chile but not in Paine?",
        Answer("number of records where country is 'Chile' and range is not 'Paine'", [(2,)]),
    ),
    (
        "What is the maximum thickness in Austria?",
        Answer("highest thickness where country is 'Austria'", [(70.0,)]),
    ),
    ("What is the minimum area?", Answer("lowest area", [(0.2,)])),
    (
        "What is the largest thickness of glaciers surveyed in 2022?",
        Answer(
            "highest thickness where survey_date is between 2022-01-01 and 2022-12-31", [(240.0,)]
        ),
    ),
    ("What is the average retreat?", Answer("average of yearly_retreat", [(16.9375,)])),
    (
        "What is the average yearly retreat per country?",
        Answer(
            "average of yearly_retreat, for each country",
            [("Austria", 20.1667), ("Chile", 12.8333), ("Norway", 18.25)],
        ),
    ),
]

REFUSED: list[tuple[str, Refusal]] = [
    (
        "What percentage of the total area is in Chile?",
        Refusal(reason="this form of question is not known"),
    ),
    (
        "What is the share of Chile in the total area?",
        Refusal(reason="this form of question is not known"),
    ),
    ("How many volcanoes are there?", Refusal(("volcanoes",))),
    ("How many glaciers have melted?", Refusal(("melted",))),
    (
        "How many glaciers will be left in 2050?",
        Refusal(("left",)),
    ),
    ("What is the area per hut?", Refusal(reason="this form of question is not known")),
    ("How many glaciers are in Europe?", Refusal(("Europe",))),
    ("What is the sum of area and thickness?", Refusal(("thickness",))),
    ("What is the volume of Eiskar?", Refusal(("volume",))),
    (
        "Wie viele Gletscher liegen in Norwegen?",
        Refusal(
            (
                "Wie",
                "viele",
                "Gletscher",
                "liegen",
                "Norwegen",
            )
        ),
    ),
    ("What is the second largest glacier?", Refusal(reason="this form of question is not known")),
    ("Does every glacier have a hut?", Refusal(reason="this form of question is not known")),
    (
        "Do all glaciers in Chile reach the sea?",
        Refusal(reason="this form of question is not known"),
    ),
    ("Which country has no glaciers?", Refusal(("no",))),
    ("Which country has no glacier that reaches the sea?", Refusal(("no",))),
    ("Are there glaciers in Switzerland?", Refusal(("Switzerland",))),
    ("Is Austria a glacier?", Refusal(reason="this form of question is not known")),
    (
        "What is the average of the three largest areas?",
        Refusal(reason="this form of question is not known"),
    ),
    (
        "What is the total area of the three largest glaciers?",
        Refusal(reason="this form of question is not known"),
    ),
    ("What is the area in hectares of Koldfonna?", Refusal(("hectares",))),
    (
        "How many glaciers are in Chile and in Norway?",
        Refusal(reason="this form of question is not known"),
    ),
    (
        "How did the area change?",
        Refusal(
            (
                "How",
                "change",
            )
        ),
    ),
    ("Which glacier shrank the most?", Refusal(("shrank",))),
    ("Which glacier lost the most area?", Refusal(("lost",))),
    (
        "How many glaciers gained area?",
        Refusal(
            (
                "gained",
                "area",
            )
        ),
    ),
    ("What is the average growth?", Refusal(("growth",))),
    ("What is the average non-retreating area?", Refusal(("non-retreating",))),
    ("How many glaciers are under the sea?", Refusal(("under",))),
    ("How many glaciers are above the sea?", Refusal(("above",))),
    ("How many seas are there?", Refusal(reason="this form of question is not known")),
]


@pytest.mark.parametrize(("question", "expected"), ANSWERED, ids=[q for q, _ in ANSWERED])
def test_a_question_about_glaciers_has_this_answer(question: str, expected: Answer) -> None:
    assert answer(WORLD, question) == expected


@pytest.mark.parametrize(("question", "expected"), REFUSED, ids=[q for q, _ in REFUSED])
def test_a_question_about_glaciers_is_refused_for_this_reason(
    question: str, expected: Refusal
) -> None:
    assert refusal(WORLD, question) == expected
