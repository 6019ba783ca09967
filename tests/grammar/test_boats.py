"""Questions about boats in three harbours: whole answers, and what is refused and why."""

from datetime import date

import pytest

from tests.grammar.tables import Answer, Refusal, answer, boats, refusal

WORLD = boats()

ANSWERED: list[tuple[str, Answer]] = [
    ("How many boats are there?", Answer("number of records", [(10,)])),
    (
        "How many boats does Ada Brook own?",
        Answer("number of records where owner is 'Ada Brook'", [(3,)]),
    ),
    (
        "How many boats are owned by Ada Brook?",
        Answer("number of records where owner is 'Ada Brook'", [(3,)]),
    ),
    ("How many owners are there?", Answer("number of different owner", [(7,)])),
    ("How many different rigs are there?", Answer("number of different rig", [(6,)])),
    ("What is the total number of boats?", Answer("number of records", [(10,)])),
    ("What is the total number of boat names?", Answer("number of different boat_name", [(10,)])),
    (
        "How many sloops are there?",
        Answer("number of records where rig is 'sloop' or 'sloop, wooden'", [(4,)]),
    ),
    (
        "How many boats are sloops?",
        Answer("number of records where rig is 'sloop' or 'sloop, wooden'", [(4,)]),
    ),
    (
        "How many wooden boats are there?",
        Answer("number of records where rig is 'sloop, wooden'", [(1,)]),
    ),
    ("How many boats have heating?", Answer("number of records where heating holds", [(5,)])),
    (
        "How many boats have no heating?",
        Answer("number of records where heating does not hold (unknown counts as not)", [(5,)]),
    ),
    (
        "How many boats are not heated?",
        Answer("number of records where heating does not hold (unknown counts as not)", [(5,)]),
    ),
    ("How many boats are insured?", Answer("number of records where insured holds", [(6,)])),
    (
        "How many boats are not insured?",
        Answer("number of records where insured does not hold", [(2,)]),
    ),
    (
        "How many boats are longer than 10 m?",
        Answer("number of records where length is above 10 m", [(5,)]),
    ),
    (
        "How many boats have more than two cabins?",
        Answer("number of records where cabins is above 2", [(4,)]),
    ),
    ("How many boats have no cabins?", Answer("number of records where cabins is 0", [(2,)])),
    ("How many boats have cabins?", Answer("number of records where cabins is above 0", [(8,)])),
    (
        "How many boats arrived in 2022?",
        Answer("number of records where arrival_date is between 2022-01-01 and 2022-12-31", [(3,)]),
    ),
    (
        "How many boats arrived before June 2022?",
        Answer("number of records where arrival_date is before 2022-06-01", [(4,)]),
    ),
    (
        "How many boats in Norham have heating?",
        Answer("number of records where harbour is 'Norham' and heating holds", [(3,)]),
    ),
    (
        "How many boats are in Norham or Eastby?",
        Answer("number of records where harbour is 'Norham' or 'Eastby'", [(7,)]),
    ),
    (
        "How many boats are not in Norham?",
        Answer("number of records where harbour is not 'Norham'", [(6,)]),
    ),
    (
        "How many boats have a mooring fee between 700 and 1000 euros?",
        Answer("number of records where mooring_fee is between 700 EUR and 1000 EUR", [(3,)]),
    ),
    (
        "How many boats have no mooring fee?",
        Answer("number of records where mooring_fee is not stated", [(1,)]),
    ),
    (
        "How many cabins do the boats in Norham have in total?",
        Answer("sum of cabins where harbour is 'Norham'", [(8,)]),
    ),
    (
        "How many cabins does the Fulmar have?",
        Answer("sum of cabins where boat_name is 'Fulmar'", [(4,)]),
    ),
    ("What is the average length of the boats?", Answer("average of length", [(10.1,)])),
    (
        "What is the average mooring fee of the ketches?",
        Answer("average of mooring_fee where rig is 'ketch'", [(1140.0,)]),
    ),
    (
        "What is the total mooring fee in Norham?",
        Answer("sum of mooring_fee where harbour is 'Norham'", [(3530.0,)]),
    ),
    ("What is the median length?", Answer("median of length", [(10.0,)])),
    ("Who owns the Heron?", Answer("different owner where boat_name is 'Heron'", [("Eva Lund",)])),
    (
        "Who owned the Fulmar?",
        Answer("different owner where boat_name is 'Fulmar'", [("Ada Brook",)]),
    ),
    (
        "What is the mooring fee of the Ibis?",
        Answer("mooring_fee where boat_name is 'Ibis'", [(780.0,)]),
    ),
    (
        "When did the Egret arrive?",
        Answer("arrival_date where boat_name is 'Egret'", [(date(2022, 9, 2),)]),
    ),
    ("Which boat is the longest?", Answer("boat_name where length is the highest", [("Gannet",)])),
    ("Which boat is the oldest?", Answer("boat_name where year_built is the lowest", [("Egret",)])),
    (
        "What are the three shortest boats?",
        Answer("the first 3 boat_name, by rising length", [("Jackdaw",), ("Heron",), ("Curlew",)]),
    ),
    (
        "Which two boats have the highest mooring fee?",
        Answer("the first 2 boat_name, by falling mooring_fee", [("Fulmar",), ("Bittern",)]),
    ),
    (
        "Which owner has the most boats?",
        Answer("owner with the highest number of records", [("Ada Brook",)]),
    ),
    (
        "Which harbour has the fewest boats?",
        Answer("harbour with the lowest number of records", [("Eastby",), ("Port Grey",)]),
    ),
    (
        "Which harbour has the most cabins?",
        Answer("harbour with the highest sum of cabins", [("Port Grey",)]),
    ),
    (
        "Which harbour has the highest average length?",
        Answer("harbour with the highest average of length", [("Port Grey",)]),
    ),
    (
        "Which harbour has the longest boats on average?",
        Answer("harbour with the highest average of length", [("Port Grey",)]),
    ),
    (
        "How many boats are at most 9 m long?",
        Answer("number of records where length is at most 9 m", [(4,)]),
    ),
    (
        "How many boats are more than 9 m long?",
        Answer("number of records where length is above 9 m", [(6,)]),
    ),
    (
        "How many boats have a length within 9 m?",
        Answer("number of records where length is at most 9 m", [(4,)]),
    ),
    (
        "Which rig is the most common?",
        Answer("rig with the highest number of records", [("sloop",)]),
    ),
    (
        "What is the average length per harbour?",
        Answer(
            "average of length, for each harbour",
            [("Eastby", 8.1667), ("Norham", 10.0), ("Port Grey", 12.1667)],
        ),
    ),
    (
        "How many boats are there per rig?",
        Answer(
            "number of records, for each rig",
            [
                ("catboat", 1),
                ("cutter", 2),
                ("ketch", 2),
                ("sloop", 3),
                ("sloop, wooden", 1),
                ("yawl", 1),
            ],
        ),
    ),
    (
        "Total mooring fee by owner",
        Answer(
            "sum of mooring_fee, for each owner",
            [
                ("Ada Brook", 2760.0),
                ("Ben Fox", 1140.0),
                ("Cleo Marsh", 900.0),
                ("Dan Hale", 1010.0),
                ("Eva Lund", 560.0),
                ("Fay Ross", 780.0),
                ("Gus Webb", 430.0),
            ],
        ),
    ),
    (
        "Which owners have more than one boat?",
        Answer("each owner whose number of records is above 1", [("Ada Brook",), ("Ben Fox",)]),
    ),
    (
        "How many owners have at least two boats?",
        Answer("number of values of owner whose number of records is at least 2", [(2,)]),
    ),
    (
        "Which harbours have an average length above 10 m?",
        Answer("each harbour whose average of length is above 10 m", [("Port Grey",)]),
    ),
    (
        "What percentage of the boats have heating?",
        Answer(
            "100 × (number of records where heating holds) divided by (number of records)",
            [(50.0,)],
        ),
    ),
    (
        "What percentage of the boats in Norham have heating?",
        Answer(
            "100 × (number of records where harbour is 'Norham' and heating holds) divided by "
            "(number of records where harbour is 'Norham')",
            [(75.0,)],
        ),
    ),
    (
        "What share of the boats is longer than 10 m?",
        Answer(
            "100 × (number of records where length is above 10 m) divided by (number of records)",
            [(50.0,)],
        ),
    ),
    (
        "What is the difference in average length between Norham and Eastby?",
        Answer(
            "difference between (average of length where harbour is 'Norham') and (average of "
            "length where harbour is 'Eastby')",
            [(1.8333,)],
        ),
    ),
    (
        "How much longer is the Fulmar than the Heron?",
        Answer(
            "difference between (highest length where boat_name is 'Fulmar') and (highest "
            "length where boat_name is 'Heron')",
            [(6.0,)],
        ),
    ),
    (
        "How many more boats are in Norham than in Eastby?",
        Answer(
            "difference between (number of records where harbour is 'Norham') and (number of "
            "records where harbour is 'Eastby')",
            [(1,)],
        ),
    ),
    (
        "Is there a boat with four cabins?",
        Answer("whether there is a record where cabins is 4", [(True,)]),
    ),
    (
        "Does the Aurora have heating?",
        Answer(
            "whether there is a record where boat_name is 'Aurora' and heating holds", [(True,)]
        ),
    ),
    (
        "Is the Curlew insured?",
        Answer(
            "whether there is a record where boat_name is 'Curlew' and insured holds", [(False,)]
        ),
    ),
    (
        "Are there more boats in Norham than in Eastby?",
        Answer(
            "whether the number of records where harbour is 'Norham' is above the number of "
            "records where harbour is 'Eastby'",
            [(True,)],
        ),
    ),
    (
        "Is the average length greater than 10 m?",
        Answer("whether the average of length is above 10", [(True,)]),
    ),
    (
        "Which is longer, the Aurora or the Ibis?",
        Answer(
            "boat_name where boat_name is 'Aurora' or 'Ibis' and length is the highest among "
            "records where boat_name is 'Aurora' or 'Ibis'",
            [("Aurora",)],
        ),
    ),
    (
        "Does the Aurora or the Heron have heating?",
        Answer(
            "different boat_name where boat_name is 'Aurora' or 'Heron' and heating holds",
            [("Aurora",)],
        ),
    ),
    (
        "List the boats in Eastby.",
        Answer(
            "different boat_name where harbour is 'Eastby'",
            [("Curlew",), ("Dunlin",), ("Jackdaw",)],
        ),
    ),
    (
        "List the boats by length, longest first.",
        Answer(
            "boat_name, by falling length",
            [
                ("Gannet",),
                ("Fulmar",),
                ("Bittern",),
                ("Egret",),
                ("Dunlin",),
                ("Aurora",),
                ("Ibis",),
                ("Curlew",),
                ("Heron",),
                ("Jackdaw",),
            ],
        ),
    ),
    (
        "Which boats are insured?",
        Answer(
            "different boat_name where insured holds",
            [("Aurora",), ("Dunlin",), ("Egret",), ("Fulmar",), ("Ibis",), ("Jackdaw",)],
        ),
    ),
    (
        "Which boats are not insured?",
        Answer("different boat_name where insured does not hold", [("Curlew",), ("Heron",)]),
    ),
    (
        "Name the boats of Ada Brook.",
        Answer(
            "different boat_name where owner is 'Ada Brook'",
            [("Aurora",), ("Curlew",), ("Fulmar",)],
        ),
    ),
    (
        "Is Ada Brook an owner?",
        Answer("whether there is a record where owner is 'Ada Brook'", [(True,)]),
    ),
    (
        "Which boat is neither insured nor heated?",
        Answer(
            "different boat_name where insured does not hold and heating does not hold "
            "(unknown counts as not)",
            [("Curlew",), ("Heron",)],
        ),
    ),
    (
        "How many boats have neither heating nor cabins?",
        Answer(
            "number of records where heating does not hold (unknown counts as not) and cabins is 0",
            [(2,)],
        ),
    ),
    (
        "How many boats have heating but no cabins?",
        Answer("number of records where heating holds and cabins is 0", [(0,)]),
    ),
    (
        "How many boats without heating are insured?",
        Answer(
            "number of records where heating does not hold (unknown counts as not) and "
            "insured holds",
            [(2,)],
        ),
    ),
    (
        "Which boat is the cheapest?",
        Answer("boat_name where mooring_fee is the lowest", [("Jackdaw",)]),
    ),
    (
        "Which boats have no heating?",
        Answer(
            "different boat_name where heating does not hold (unknown counts as not)",
            [("Curlew",), ("Dunlin",), ("Gannet",), ("Heron",), ("Jackdaw",)],
        ),
    ),
    (
        "What is the name of the owner of the Heron?",
        Answer("different owner where boat_name is 'Heron'", [("Eva Lund",)]),
    ),
    (
        "What is the name of the longest boat?",
        Answer("boat_name where length is the highest", [("Gannet",)]),
    ),
    (
        "What are the names of the boats in Eastby?",
        Answer(
            "different boat_name where harbour is 'Eastby'",
            [("Curlew",), ("Dunlin",), ("Jackdaw",)],
        ),
    ),
    (
        "What is the name of Ada Brook's longest boat?",
        Answer(
            "boat_name where owner is 'Ada Brook' and length is the highest among records "
            "where owner is 'Ada Brook'",
            [("Fulmar",)],
        ),
    ),
    ("What is the total amount of mooring fees?", Answer("sum of mooring_fee", [(7580.0,)])),
    ("What is the least amount of cabins?", Answer("lowest cabins", [(0,)])),
    (
        "Which boats are located in Eastby?",
        Answer(
            "different boat_name where harbour is 'Eastby'",
            [("Curlew",), ("Dunlin",), ("Jackdaw",)],
        ),
    ),
    (
        "How many boats in Norham or Eastby have heating?",
        Answer("number of records where harbour is 'Norham' or 'Eastby' and heating holds", [(3,)]),
    ),
    (
        "Which boat in Norham has the most cabins?",
        Answer(
            "boat_name where harbour is 'Norham' and cabins is the highest among records "
            "where harbour is 'Norham'",
            [("Bittern",), ("Egret",)],
        ),
    ),
    (
        "How many boats have at least one cabin?",
        Answer("number of records where cabins is at least 1", [(8,)]),
    ),
    (
        "How many boats have both heating and insurance?",
        Answer("number of records where heating holds and insured holds", [(4,)]),
    ),
    (
        "How many boats except those in Norham have heating?",
        Answer("number of records where harbour is not 'Norham' and heating holds", [(2,)]),
    ),
    (
        "How many boats other than sloops have heating?",
        Answer(
            "number of records where rig is not 'sloop' or 'sloop, wooden' and heating holds",
            [(3,)],
        ),
    ),
    (
        "How many boats belong to Ada Brook or Ben Fox?",
        Answer("number of records where owner is 'Ada Brook' or 'Ben Fox'", [(5,)]),
    ),
    (
        "How many boats belong to neither Ada Brook nor Ben Fox?",
        Answer(
            "number of records where owner is not 'Ada Brook' and owner is not 'Ben Fox'", [(5,)]
        ),
    ),
    (
        "Which boats built before 1990 have heating?",
        Answer(
            "different boat_name where year_built is below 1990 and heating holds",
            [("Aurora",), ("Bittern",), ("Egret",), ("Fulmar",)],
        ),
    ),
    (
        "How many boats were built in 2008?",
        Answer("number of records where year_built is 2008", [(1,)]),
    ),
    (
        "How many boats were built between 1980 and 2000?",
        Answer("number of records where year_built is between 1980 and 2000", [(3,)]),
    ),
    (
        "How many boats were built in the 1990s?",
        Answer("number of records where year_built is between 1990 and 1999", [(1,)]),
    ),
    (
        "How many boats were built after 2000 and arrived before 2023?",
        Answer(
            "number of records where year_built is above 2000 and arrival_date is before "
            "2023-01-01",
            [(1,)],
        ),
    ),
    ("When was the Egret built?", Answer("year_built where boat_name is 'Egret'", [(1969,)])),
    (
        "In which year was the Egret built?",
        Answer("year_built where boat_name is 'Egret'", [(1969,)]),
    ),
    (
        "Which is older, the Egret or the Bittern?",
        Answer(
            "boat_name where boat_name is 'Egret' or 'Bittern' and year_built is the lowest "
            "among records where boat_name is 'Egret' or 'Bittern'",
            [("Egret",)],
        ),
    ),
    (
        "Is the Egret older than the Bittern?",
        Answer(
            "whether the highest year_built where boat_name is 'Bittern' is above the highest "
            "year_built where boat_name is 'Egret'",
            [(True,)],
        ),
    ),
    ("What is the sum of all lengths?", Answer("sum of length", [(101.0,)])),
    (
        "What is the total length of the boats in Norham?",
        Answer("sum of length where harbour is 'Norham'", [(40.0,)]),
    ),
    ("What is the average fee?", Answer("average of mooring_fee", [(842.2222,)])),
    (
        "What is the lowest fee in Eastby?",
        Answer("lowest mooring_fee where harbour is 'Eastby'", [(430.0,)]),
    ),
    (
        "How many boats are below 700 euros?",
        Answer("number of records where mooring_fee is below 700 EUR", [(3,)]),
    ),
    (
        "How many boats are longer than 30 feet?",
        Answer("number of records where length is above 9.144 m", [(6,)]),
    ),
    (
        "Who owns the most boats?",
        Answer("owner with the highest number of records", [("Ada Brook",)]),
    ),
    ("Who owns the longest boat?", Answer("owner where length is the highest", [("Ben Fox",)])),
    (
        "Which harbour has the longest boat?",
        Answer("harbour where length is the highest", [("Port Grey",)]),
    ),
    (
        "Which harbour has the oldest boat?",
        Answer("harbour where year_built is the lowest", [("Norham",)]),
    ),
    (
        "Which owner has the longest average length?",
        Answer("owner with the highest average of length", [("Ben Fox",)]),
    ),
    (
        "Which owners have boats in Norham?",
        Answer(
            "different owner where harbour is 'Norham'",
            [("Ada Brook",), ("Ben Fox",), ("Dan Hale",), ("Eva Lund",)],
        ),
    ),
    (
        "Which harbours have a boat of Ada Brook?",
        Answer(
            "different harbour where owner is 'Ada Brook'",
            [("Eastby",), ("Norham",), ("Port Grey",)],
        ),
    ),
    (
        "How many harbours have boats with heating?",
        Answer("number of different harbour where heating holds", [(2,)]),
    ),
    (
        "How many different owners have boats in Norham?",
        Answer("number of different owner where harbour is 'Norham'", [(4,)]),
    ),
    (
        "List all owners.",
        Answer(
            "different owner",
            [
                ("Ada Brook",),
                ("Ben Fox",),
                ("Cleo Marsh",),
                ("Dan Hale",),
                ("Eva Lund",),
                ("Fay Ross",),
                ("Gus Webb",),
            ],
        ),
    ),
    (
        "List the rigs of the boats in Norham.",
        Answer(
            "different rig where harbour is 'Norham'", [("ketch",), ("sloop",), ("sloop, wooden",)]
        ),
    ),
    (
        "Is there any boat without heating?",
        Answer(
            "whether there is a record where heating does not hold (unknown counts as not)",
            [(True,)],
        ),
    ),
    (
        "Are there boats longer than 15 m?",
        Answer("whether there is a record where length is above 15 m", [(False,)]),
    ),
    (
        "Do any boats in Eastby have heating?",
        Answer("whether there is a record where harbour is 'Eastby' and heating holds", [(False,)]),
    ),
    (
        "Does Ben Fox have more boats than Ada Brook?",
        Answer(
            "whether the number of records where owner is 'Ben Fox' is above the number of "
            "records where owner is 'Ada Brook'",
            [(False,)],
        ),
    ),
    (
        "What is the longest sloop?",
        Answer(
            "boat_name where rig is 'sloop' or 'sloop, wooden' and length is the highest "
            "among records where rig is 'sloop' or 'sloop, wooden'",
            [("Egret",)],
        ),
    ),
    (
        "Which sloop has the highest mooring fee?",
        Answer(
            "boat_name where rig is 'sloop' or 'sloop, wooden' and mooring_fee is the highest "
            "among records where rig is 'sloop' or 'sloop, wooden'",
            [("Egret",)],
        ),
    ),
    (
        "What percentage of insured boats have heating?",
        Answer(
            "100 × (number of records where insured holds and heating holds) divided by "
            "(number of records where insured holds)",
            [(66.6667,)],
        ),
    ),
    (
        "What percentage of boats with heating are insured?",
        Answer(
            "100 × (number of records where heating holds and insured holds) divided by "
            "(number of records where heating holds)",
            [(80.0,)],
        ),
    ),
    (
        "What percentage of boats are not insured?",
        Answer(
            "100 × (number of records where insured does not hold) divided by (number of records)",
            [(20.0,)],
        ),
    ),
    (
        "What percentage of boats in Norham and Eastby have heating?",
        Answer(
            "100 × (number of records where harbour is 'Norham' or 'Eastby' and heating "
            "holds) divided by (number of records where harbour is 'Norham' or 'Eastby')",
            [(42.8571,)],
        ),
    ),
    (
        "How many boats arrived on 7 May 2022?",
        Answer("number of records where arrival_date is 2022-05-07", [(1,)]),
    ),
    (
        "How many boats arrived in May?",
        Answer("number of records where month of arrival_date is 5", [(2,)]),
    ),
    (
        "How many boats arrived per year?",
        Answer(
            "number of records, for each year of arrival_date",
            [(2021, 2), (2022, 3), (2023, 4), (2024, 1)],
        ),
    ),
    (
        "In which year did the most boats arrive?",
        Answer("year of arrival_date with the highest number of records", [(2023,)]),
    ),
    (
        "Which boat arrived last?",
        Answer("boat_name where arrival_date is the highest", [("Jackdaw",)]),
    ),
    (
        "When did the first boat arrive in Port Grey?",
        Answer("lowest arrival_date where harbour is 'Port Grey'", [(date(2023, 3, 30),)]),
    ),
    (
        "How many boats are not owned by Ada Brook?",
        Answer("number of records where owner is not 'Ada Brook'", [(7,)]),
    ),
    (
        "How many boats does Ada own?",
        Answer("number of records where owner is 'Ada Brook'", [(3,)]),
    ),
    (
        "How many boats does Brook own?",
        Answer("number of records where owner is 'Ada Brook'", [(3,)]),
    ),
    (
        "How many boats are in Port?",
        Answer("number of records where harbour is 'Port Grey'", [(3,)]),
    ),
    (
        "How many boats are in Grey?",
        Answer("number of records where harbour is 'Port Grey'", [(3,)]),
    ),
    ("How many boats have a length of 9?", Answer("number of records where length is 9 m", [(1,)])),
    (
        "How many of the boats in Norham are sloops?",
        Answer(
            "number of records where harbour is 'Norham' and rig is 'sloop' or 'sloop, wooden'",
            [(3,)],
        ),
    ),
    (
        "How many boats have two or more cabins?",
        Answer("number of records where cabins is at least 2", [(7,)]),
    ),
    ("How many cabins are there on average?", Answer("average of cabins", [(2.1,)])),
    (
        "What is the number of cabins of the Fulmar?",
        Answer("sum of cabins where boat_name is 'Fulmar'", [(4,)]),
    ),
    ("What is the maximum number of cabins?", Answer("highest cabins", [(4,)])),
    (
        "What is the highest number of cabins in Norham?",
        Answer("highest cabins where harbour is 'Norham'", [(3,)]),
    ),
    ("Total length?", Answer("sum of length", [(101.0,)])),
    (
        "average length by rig",
        Answer(
            "average of length, for each rig",
            [
                ("catboat", 6.0),
                ("cutter", 9.75),
                ("ketch", 13.0),
                ("sloop", 8.3333),
                ("sloop, wooden", 11.0),
                ("yawl", 13.5),
            ],
        ),
    ),
    (
        "number of boats by harbour",
        Answer(
            "number of records, for each harbour", [("Eastby", 3), ("Norham", 4), ("Port Grey", 3)]
        ),
    ),
    (
        "How much older is the Egret than the Bittern?",
        Answer(
            "difference between (highest year_built where boat_name is 'Bittern') and "
            "(highest year_built where boat_name is 'Egret')",
            [(6,)],
        ),
    ),
    (
        "Which sloops are in Norham?",
        Answer(
            "different boat_name where rig is 'sloop' or 'sloop, wooden' and harbour is 'Norham'",
            [("Aurora",), ("Egret",), ("Heron",)],
        ),
    ),
    (
        "Which Norham boats have heating?",
        Answer(
            "different boat_name where harbour is 'Norham' and heating holds",
            [("Aurora",), ("Bittern",), ("Egret",)],
        ),
    ),
    (
        "How many harbours have boats without heating?",
        Answer(
            "number of different harbour where heating does not hold (unknown counts as not)",
            [(3,)],
        ),
    ),
    (
        "Which harbours have boats without heating?",
        Answer(
            "different harbour where heating does not hold (unknown counts as not)",
            [("Eastby",), ("Norham",), ("Port Grey",)],
        ),
    ),
    (
        "Which boats are neither in Norham nor in Eastby?",
        Answer(
            "different boat_name where harbour is not 'Norham' and harbour is not 'Eastby'",
            [("Fulmar",), ("Gannet",), ("Ibis",)],
        ),
    ),
    (
        "Which boats have no insurance?",
        Answer("different boat_name where insured does not hold", [("Curlew",), ("Heron",)]),
    ),
]

REFUSED: list[tuple[str, Refusal]] = [
    (  # those of either, or those of both
        "List the owners in Norham and Eastby.",
        Refusal(reason="this form of question is not known"),
    ),
    ("Which is the newest boat?", Refusal(reason="this question can be read in two ways")),
    ("How long is the Heron?", Refusal(reason="this form of question is not known")),
    (
        "How much is the mooring fee of the Ibis?",
        Refusal(reason="this form of question is not known"),
    ),
    ("List the names and lengths of the boats in Port Grey.", Refusal(("lengths",))),
    (
        "Wie viele Boote gibt es?",
        Refusal(
            (
                "Wie",
                "viele",
                "Boote",
                "gibt",
                "es",
            )
        ),
    ),
    (
        "Wie lang ist die Heron?",
        Refusal(
            (
                "Wie",
                "lang",
                "ist",
                "die",
            )
        ),
    ),
    (
        "Welches Boot ist das längste?",
        Refusal(
            (
                "Welches",
                "Boot",
                "ist",
                "das",
                "längste",
            )
        ),
    ),
    ("How many yachts are there?", Refusal(("yachts",))),
    ("How many boats were painted?", Refusal(("painted",))),
    ("How many boats have a radar?", Refusal(("radar",))),
    (
        "What is the ratio of length to cabins?",
        Refusal(reason="this form of question is not known"),
    ),
    ("What is the mooring fee per metre?", Refusal(reason="this form of question is not known")),
    ("What is the fee per cabin?", Refusal(reason="this form of question is not known")),
    ("What is the correlation between length and mooring fee?", Refusal(("correlation",))),
    ("By how much did the mooring fee grow?", Refusal(("grow",))),
    ("What is the percentage change of the mooring fee from 2021 to 2022?", Refusal(("change",))),
    (
        "What was the last boat before the Egret?",
        Refusal(reason="this form of question is not known"),
    ),
    ("Which boat arrived after the Egret?", Refusal(reason="this form of question is not known")),
    (
        "If the fees rose by 10 percent, what would be the total?",
        Refusal(
            (
                "rose",
                "10 percent",
            )
        ),
    ),
    ("Compare Norham, Eastby and Port Grey by length.", Refusal(("Compare",))),
    (
        "What is the difference between Norham, Eastby and Port Grey?",
        Refusal(reason="this form of question is not known"),
    ),
    ("What is the second longest boat?", Refusal(reason="this form of question is not known")),
    ("Which boat has the second highest mooring fee?", Refusal(("second",))),
    (
        "How many boats are shorter than average?",
        Refusal(reason="this form of question is not known"),
    ),
    (
        "Which boats are longer than the average?",
        Refusal(reason="this form of question is not known"),
    ),
    (
        "Which boats are longer than the Egret?",
        Refusal(reason="this form of question is not known"),
    ),
    (
        "How many boats have the same owner?",
        Refusal(
            (
                "same",
                "owner",
            )
        ),
    ),
    (
        "What is the standard deviation of the length?",
        Refusal(
            (
                "standard",
                "deviation",
            )
        ),
    ),
    ("How many crew does the Aurora have?", Refusal(("crew",))),
    ("How many people sail the Aurora?", Refusal(("sail",))),
    (
        "Why is the Heron so short?",
        Refusal(
            (
                "Why",
                "short",
            )
        ),
    ),
    (
        "What is the longest boat in each harbour?",
        Refusal(reason="this form of question is not known"),
    ),
    ("How old is the Heron?", Refusal(reason="this form of question is not known")),
    ("Which harbours have no insured boats?", Refusal(("no",))),
    ("How many boats are more than 9 m tall?", Refusal(("more than", "9 m", "tall"))),
    ("Which owners have no boat with heating?", Refusal(("no",))),
    (
        "How many boats cost more than 1000 dollars?",
        Refusal(
            (
                "cost",
                "more than",
                "1000 dollars",
            )
        ),
    ),
    ("Which harbour is the longest?", Refusal(reason="this question can be read in two ways")),
    ("Which harbour has the most owners?", Refusal(reason="this question can be read in two ways")),
    (
        "Which owners have boats in Norham and Eastby?",
        Refusal(reason="this form of question is not known"),
    ),
    (
        "What is the length of Ada Brook's boat?",
        Refusal(reason="this form of question is not known"),
    ),
    ("Are all boats insured?", Refusal(reason="this form of question is not known")),
    ("Is every boat in Norham heated?", Refusal(reason="this form of question is not known")),
    ("Has Ben Fox a boat in Eastby?", Refusal(reason="this form of question is not known")),
    ("Which boat has the median length?", Refusal(("Which",))),
    ("Which boats have the same length?", Refusal(("same",))),
    ("What is the ratio of boats with heating to boats without?", Refusal(("without",))),
    (
        "How many boats arrived in the summer?",
        Refusal(
            (
                "arrived",
                "summer",
            )
        ),
    ),
    (
        "How many boats left in 2022?",
        Refusal(("left",)),
    ),
    ("How many boats did Ada Brook sell?", Refusal(("sell",))),
    ("How many boats are expensive?", Refusal(("expensive",))),
    ("How many big boats are there?", Refusal(("big",))),
    (
        "How many owners have boats in Norham and Eastby?",
        Refusal(reason="this form of question is not known"),
    ),
]


@pytest.mark.parametrize(("question", "expected"), ANSWERED, ids=[q for q, _ in ANSWERED])
def test_a_question_about_boats_has_this_answer(question: str, expected: Answer) -> None:
    assert answer(WORLD, question) == expected


@pytest.mark.parametrize(("question", "expected"), REFUSED, ids=[q for q, _ in REFUSED])
def test_a_question_about_boats_is_refused_for_this_reason(
    question: str, expected: Refusal
) -> None:
    assert refusal(WORLD, question) == expected
