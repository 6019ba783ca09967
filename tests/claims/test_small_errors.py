import pytest

from srag_mcp.claims.quotes import ground, says_the_same
from srag_mcp.schema.attribute import Attribute


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        (
            "The Tenant may assign this Lease to a third party",
            "The Tenant may not assign this Lease to a third party.",
        ),
        (
            "contract is made between Alpha GmbH and Beta AG",
            "This contract is made between Alpha GmbH and Zeta AG.",
        ),
        ("der Mieter darf den Garten nutzen", "Denn der Mieter darf den Garten nicht nutzen."),
        ("le locataire peut sous-louer le bien", "Le locataire ne peut pas sous-louer le bien."),
        ("el inquilino puede ceder el contrato", "El inquilino nunca puede ceder el contrato."),
        ("il locatario ha accesso al giardino", "Il locatario non ha accesso al giardino."),
        (
            "de huurder mag huisdieren in huis houden",
            "De huurder mag geen huisdieren in huis houden",
        ),
        ("O inquilino pode ceder o contrato", "O inquilino não pode ceder o contrato."),
        (
            "All of the rooms have a balcony to the sea",
            "All but two of the rooms have a balcony to the sea",
        ),
        ("All large rooms have a balcony to the sea", "All rooms have a balcony to the sea."),
        ("The use of the roof is legal at any time", "The use of the roof is illegal at any time."),
        ("Breakfast is inclusive of all taxes here", "Breakfast is exclusive of all taxes here."),
        ("They were seventy guests on that evening", "They were seventeen guests on that evening."),
        (
            "会社は東京の田中商店と契約を結んだことがある",
            "会社は東京の山中商店と契約を結んだことがある",
        ),
    ],
)
def test_a_word_more_or_less_or_another_name_is_no_slip(quote: str, text: str) -> None:
    assert ground(quote, text, Attribute(name="it", type="boolean")) is None


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("The Tenant may assign this Lease", "Thc Tenant rnay assign this Leasc"),
        ("between Alpha GmbH and Beta AG", "betveen Alpha GmbH and Bcta AG"),
        ("Die Gesellschaft hat ihren Sitz", "Die Gesell schaft hat ihren Sitz"),
        ("established in Köln", "estabIished in Koln"),
        ("guests may bring their dogs", "guests may bring their dogs here"),
        ("agreement of the parties", "agreernent of the partles"),
    ],
)
def test_slips_within_words_change_nothing(quote: str, words: str) -> None:
    assert says_the_same(quote, words)
    assert says_the_same(words, words)


def test_a_quote_has_no_words_beyond_those_of_the_document() -> None:
    assert not says_the_same("guests may bring their dogs here", "guests may bring their dogs")
    assert not says_the_same("guests may bring their dogs", "guests may bring their dogs never")
