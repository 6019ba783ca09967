"""What the invented people are drawn from: places, names, professions, employers."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Country:
    """The names and places that belong together."""

    nationality: str
    currency: str
    cities: tuple[str, ...]
    first_names: tuple[str, ...]
    last_names: tuple[str, ...]
    streets: tuple[str, ...]
    institutions: tuple[str, ...]
    schools: tuple[str, ...]
    phone: str


@dataclass(frozen=True)
class Profession:
    """A job title with the sector it is found in, the usual degrees and a yearly pay."""

    title: str
    sector: str
    degrees: tuple[str, ...]
    pay: int


COUNTRIES = {
    "Germany": Country(
        "German",
        "EUR",
        ("Berlin", "Hamburg", "Leipzig", "Munich"),
        ("Lukas", "Annika", "Jürgen", "Miriam", "Tobias", "Heike", "Florian", "Svenja"),
        ("Brenner", "Hartwig", "Möller", "Steinbach", "Vogt", "Kessler", "Lindner", "Raabe"),
        ("Ahornweg", "Lessingstraße", "Am Mühlbach", "Gartenstraße"),
        ("TU Dresden", "University of Hamburg", "University of Leipzig", "RWTH Aachen"),
        ("Berufskolleg Elberfeld", "Handwerkskammer Leipzig"),
        "+49 30 555 {:04d}",
    ),
    "Austria": Country(
        "Austrian",
        "EUR",
        ("Vienna", "Graz"),
        ("Katharina", "Matthias", "Elisabeth", "Stefan"),
        ("Gruber", "Ebner", "Pichler", "Haslinger"),
        ("Lindengasse", "Mariahilfer Zeile"),
        ("University of Vienna", "TU Graz"),
        ("HTL Mödling",),
        "+43 1 555 {:04d}",
    ),
    "Switzerland": Country(
        "Swiss",
        "CHF",
        ("Zurich", "Basel"),
        ("Reto", "Nadja", "Beat", "Corinne"),
        ("Zumstein", "Amstutz", "Rüegg", "Bärtschi"),
        ("Seefeldgasse", "Rebhalde"),
        ("ETH Zurich", "University of Basel"),
        ("Gewerbeschule Basel",),
        "+41 44 555 {:04d}",
    ),
    "United Kingdom": Country(
        "British",
        "GBP",
        ("London", "Manchester", "Leeds", "Bristol"),
        ("Amelia", "Callum", "Priya", "Gareth", "Fiona", "Oliver", "Imogen", "Kwame", "Rhys"),
        ("Thornton", "Okafor", "Sharma", "Pritchard", "Maguire", "Whitfield", "Boateng", "Lowe"),
        ("Albion Road", "Station Terrace", "Kingsmead Close", "Chapel Lane"),
        (
            "University of Leeds",
            "University of Manchester",
            "University of Bristol",
            "Cardiff University",
        ),
        ("Leeds City College", "Bristol Trades College"),
        "+44 20 7946 {:04d}",
    ),
    "United States": Country(
        "American",
        "USD",
        ("Chicago", "Boston", "Austin", "Denver"),
        ("Marcus", "Danielle", "Hector", "Grace", "Tyler", "Monique", "Brandon", "Ellen"),
        ("Whitaker", "Delgado", "Nguyen", "Carmichael", "Brooks", "Haywood", "Petersen", "Stokes"),
        ("Maple Avenue", "Wabash Street", "Juniper Drive", "Lakeview Court"),
        (
            "University of Illinois",
            "Boston University",
            "University of Texas at Austin",
            "Colorado State University",
        ),
        ("Austin Community College", "Harold Technical College"),
        "(312) 555-{:04d}",
    ),
    "Netherlands": Country(
        "Dutch",
        "EUR",
        ("Utrecht", "Rotterdam"),
        ("Sanne", "Joost", "Femke", "Bram"),
        ("van Dijk", "Hoekstra", "de Wit", "Verbeek"),
        ("Oudegracht", "Tulpstraat"),
        ("Utrecht University", "TU Delft"),
        ("ROC Midden",),
        "+31 30 555 {:04d}",
    ),
    "Spain": Country(
        "Spanish",
        "EUR",
        ("Madrid", "Valencia", "Seville"),
        ("Lucía", "Álvaro", "Carmen", "Sergio"),
        ("Ortega Ruiz", "Navarro", "Ibáñez", "Molina Castro"),
        ("Calle del Olivo", "Avenida del Puerto"),
        ("University of Valencia", "University of Seville"),
        ("IES Las Palmeras",),
        "+34 91 555 {:04d}",
    ),
    "France": Country(
        "French",
        "EUR",
        ("Lyon", "Paris", "Nantes"),
        ("Élodie", "Julien", "Camille", "Thierry"),
        ("Marchand", "Lefèvre", "Garnier", "Benoît"),
        ("rue des Tanneurs", "allée des Platanes"),
        ("University of Lyon", "Sorbonne University"),
        ("Lycée Jean-Perrin",),
        "+33 4 55 55 {:04d}",
    ),
    "Italy": Country(
        "Italian",
        "EUR",
        ("Milan", "Bologna"),
        ("Chiara", "Davide", "Giulia", "Matteo"),
        ("Ferraro", "Bellini", "Conti", "Marchetti"),
        ("Via dei Mille", "Via Garibaldi"),
        ("University of Bologna", "Politecnico di Milano"),
        ("Istituto Tecnico Volta",),
        "+39 02 555 {:04d}",
    ),
}

PROFESSIONS = (
    Profession("Registered Nurse", "health", ("Vocational", "Bachelor"), 44),
    Profession("Physiotherapist", "health", ("Vocational", "Bachelor", "Master"), 45),
    Profession("Pharmacist", "health", ("Master", "Doctorate"), 61),
    Profession("Software Engineer", "software", ("Bachelor", "Master"), 70),
    Profession("Data Analyst", "software", ("Bachelor", "Master", "Doctorate"), 58),
    Profession("UX Designer", "software", ("Bachelor", "Master"), 56),
    Profession("Civil Engineer", "construction", ("Bachelor", "Master", "Doctorate"), 62),
    Profession("Site Manager", "construction", ("Vocational", "Bachelor"), 57),
    Profession("Electrician", "construction", ("Vocational",), 41),
    Profession("Accountant", "finance", ("Bachelor", "Master"), 51),
    Profession("Financial Controller", "finance", ("Bachelor", "Master"), 72),
    Profession("Warehouse Supervisor", "logistics", ("Vocational", "Bachelor"), 39),
    Profession("Supply Chain Planner", "logistics", ("Bachelor", "Master"), 54),
    Profession("Sous Chef", "hospitality", ("Vocational",), 37),
    Profession("Hotel Manager", "hospitality", ("Vocational", "Bachelor", "Master"), 60),
    Profession("Secondary School Teacher", "education", ("Bachelor", "Master"), 50),
    Profession("Research Scientist", "research", ("Master", "Doctorate"), 63),
    Profession("Marketing Manager", "marketing", ("Bachelor", "Master"), 64),
    Profession("Sales Representative", "marketing", ("Vocational", "Bachelor"), 46),
)

EMPLOYERS = {
    "health": ("Silverbirch Clinic", "Lakeside Rehab Group", "Meridian Care"),
    "software": ("Quillstone Software", "Brightloom Analytics", "Pelican Systems"),
    "construction": ("Hartmoor Construction", "Tessera Engineering"),
    "finance": ("Calder & Finch", "Northgate Holdings"),
    "logistics": ("Arrowfield Logistics", "Portway Freight"),
    "hospitality": ("Hotel Belvoir", "The Copper Kettle"),
    "education": ("Ashdown School", "Lindenhof School"),
    "research": ("Veridian Institute", "Corvale Biosciences"),
    "marketing": ("Fennel & Rye", "Sunmarch Foods"),
}

LANGUAGES = ("German", "French", "English", "Spanish", "Italian", "Dutch", "Polish", "Turkish")

NATIVE_LANGUAGE = {
    "Germany": "German",
    "Austria": "German",
    "Switzerland": "German",
    "United Kingdom": "English",
    "United States": "English",
    "Netherlands": "Dutch",
    "Spain": "Spanish",
    "France": "French",
    "Italy": "Italian",
}
