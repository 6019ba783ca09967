"""Questions about tickets of a help desk: whole answers, and what is refused and why."""

from datetime import date

import pytest

from tests.grammar.tables import Answer, Refusal, answer, refusal, tickets

WORLD = tickets()

ANSWERED: list[tuple[str, Answer]] = [
    ("How many tickets are there?", Answer("number of records", [(12,)])),
    ("How many tickets are open?", Answer("number of records where status is 'open'", [(2,)])),
    (
        "How many open tickets does Otis Lane have?",
        Answer("number of records where status is 'open' and agent is 'Otis Lane'", [(0,)]),
    ),
    (
        "How many urgent tickets were opened in February 2024?",
        Answer(
            "number of records where priority is 'urgent' and opened_on is between 2024-02-01 "
            "and 2024-02-29",
            [(1,)],
        ),
    ),
    (
        "How many tickets were opened in March?",
        Answer("number of records where month of opened_on is 3", [(3,)]),
    ),
    (
        "How many tickets were closed in March 2024?",
        Answer("number of records where closed_on is between 2024-03-01 and 2024-03-31", [(2,)]),
    ),
    (
        "How many tickets were opened after 1 March 2024?",
        Answer("number of records where opened_on is after 2024-03-01", [(7,)]),
    ),
    (
        "How many tickets are low or normal?",
        Answer("number of records where priority is 'low' or 'normal'", [(9,)]),
    ),
    (
        "How many normal and low tickets are there?",
        Answer("number of records where priority is 'normal' or 'low'", [(9,)]),
    ),
    ("How many tickets were escalated?", Answer("number of records where escalated holds", [(4,)])),
    (
        "How many tickets were not escalated?",
        Answer("number of records where escalated does not hold (unknown counts as not)", [(8,)]),
    ),
    (
        "How many unescalated tickets are there?",
        Answer("number of records where escalated does not hold (unknown counts as not)", [(8,)]),
    ),
    (
        "How many urgent tickets were escalated?",
        Answer("number of records where priority is 'urgent' and escalated holds", [(2,)]),
    ),
    (
        "How many tickets took more than 3 hours?",
        Answer("number of records where hours_spent is above 3 h", [(5,)]),
    ),
    (
        "How many hours were spent on urgent tickets in total?",
        Answer("sum of hours_spent where priority is 'urgent'", [(13.5,)]),
    ),
    (
        "What is the total number of hours spent on urgent tickets?",
        Answer("sum of hours_spent where priority is 'urgent'", [(13.5,)]),
    ),
    (
        "How many replies do the tickets of Pia Stern have in total?",
        Answer("sum of replies where agent is 'Pia Stern'", [(1,)]),
    ),
    (
        "How many replies does T-105 have?",
        Answer("sum of replies where ticket_no is 'T-105'", [(11,)]),
    ),
    (
        "What is the average number of replies per ticket?",
        Answer("average of replies", [(4.9167,)]),
    ),
    (
        "What is the average number of replies per agent?",
        Answer(
            "average of replies, for each agent",
            [
                ("Mia Vogt", 5.3333),
                ("Noor Haddad", 6.0),
                ("Otis Lane", 5.6667),
                ("Pia Stern", 0.5),
                ("Quin Roy", 7.0),
            ],
        ),
    ),
    (
        "How many tickets per team?",
        Answer("number of records, for each team", [("Email", 4), ("Network", 5), ("Payroll", 3)]),
    ),
    (
        "How many tickets were opened per month?",
        Answer(
            "number of records, for each month of opened_on",
            [
                ("April 2024", 3),
                ("February 2024", 3),
                ("January 2024", 2),
                ("March 2024", 3),
                ("May 2024", 1),
            ],
        ),
    ),
    (
        "Which agent has the most tickets?",
        Answer(
            "agent with the highest number of records",
            [("Mia Vogt",), ("Noor Haddad",), ("Otis Lane",)],
        ),
    ),
    (
        "In which month were the most tickets opened?",
        Answer(
            "month of opened_on with the highest number of records",
            [("April 2024",), ("February 2024",), ("March 2024",)],
        ),
    ),
    (
        "Which agent spent the most hours?",
        Answer("agent with the highest sum of hours_spent", [("Mia Vogt",), ("Noor Haddad",)]),
    ),
    (
        "Which ticket has the most replies?",
        Answer("ticket_no where replies is the highest", [("T-105",)]),
    ),
    ("What is the highest satisfaction score?", Answer("highest satisfaction_score", [(10,)])),
    (
        "What is the average satisfaction score of closed tickets?",
        Answer("average of satisfaction_score where status is 'closed'", [(7.5556,)]),
    ),
    (
        "What are the three tickets with the lowest satisfaction score?",
        Answer(
            "the first 3 ticket_no, by rising satisfaction_score",
            [("T-105",), ("T-107",), ("T-101",)],
        ),
    ),
    (
        "Who is the agent of T-104?",
        Answer("different agent where ticket_no is 'T-104'", [("Otis Lane",)]),
    ),
    (
        "What is the status of T-108?",
        Answer("different status where ticket_no is 'T-108'", [("open",)]),
    ),
    (
        "When was T-103 closed?",
        Answer("closed_on where ticket_no is 'T-103'", [(date(2024, 2, 20),)]),
    ),
    (
        "What priority does T-111 have?",
        Answer("different priority where ticket_no is 'T-111'", [("normal",)]),
    ),
    (
        "Which tickets are urgent?",
        Answer(
            "different ticket_no where priority is 'urgent'", [("T-101",), ("T-105",), ("T-110",)]
        ),
    ),
    (
        "Which agents have more than two tickets?",
        Answer(
            "each agent whose number of records is above 2",
            [("Mia Vogt",), ("Noor Haddad",), ("Otis Lane",)],
        ),
    ),
    (
        "How many agents have more than two tickets?",
        Answer("number of values of agent whose number of records is above 2", [(3,)]),
    ),
    (
        "What percentage of tickets is urgent?",
        Answer(
            "100 × (number of records where priority is 'urgent') divided by (number of records)",
            [(25.0,)],
        ),
    ),
    (
        "What percentage of the urgent tickets were escalated?",
        Answer(
            "100 × (number of records where priority is 'urgent' and escalated holds) divided "
            "by (number of records where priority is 'urgent')",
            [(66.6667,)],
        ),
    ),
    (
        "What fraction of the tickets is closed?",
        Answer(
            "(number of records where status is 'closed') divided by (number of records)", [(0.75,)]
        ),
    ),
    (
        "How many more normal tickets than urgent tickets are there?",
        Answer(
            "difference between (number of records where priority is 'normal') and (number of "
            "records where priority is 'urgent')",
            [(2,)],
        ),
    ),
    (
        "Does Mia Vogt have an open ticket?",
        Answer(
            "whether there is a record where agent is 'Mia Vogt' and status is 'open'", [(True,)]
        ),
    ),
    (
        "Is there an urgent ticket that is open?",
        Answer(
            "whether there is a record where priority is 'urgent' and status is 'open'", [(False,)]
        ),
    ),
    (
        "Are there more urgent than low tickets?",
        Answer(
            "whether the number of records where priority is 'urgent' is above the number of "
            "records where priority is 'low'",
            [(False,)],
        ),
    ),
    (
        "Has T-101 been escalated?",
        Answer(
            "whether there is a record where ticket_no is 'T-101' and escalated holds", [(True,)]
        ),
    ),
    (
        "List all tickets of the Payroll team, by hours spent.",
        Answer(
            "ticket_no where team is 'Payroll', by rising hours_spent",
            [("T-102",), ("T-110",), ("T-105",)],
        ),
    ),
    (
        "List the tickets of Noor Haddad, newest first.",
        Answer(
            "ticket_no where agent is 'Noor Haddad', by falling opened_on",
            [("T-109",), ("T-105",), ("T-102",)],
        ),
    ),
    ("How many agents are there?", Answer("number of different agent", [(5,)])),
    (
        "How many teams have urgent tickets?",
        Answer("number of different team where priority is 'urgent'", [(2,)]),
    ),
    (
        "How many tickets have no satisfaction score?",
        Answer("number of records where satisfaction_score is not stated", [(3,)]),
    ),
    (
        "Was T-102 normal or urgent?",
        Answer(
            "different priority where ticket_no is 'T-102' and priority is 'normal' or 'urgent'",
            [("normal",)],
        ),
    ),
    (
        "How many tickets have not been closed?",
        Answer("number of records where status is not 'closed'", [(3,)]),
    ),
    (
        "How many tickets were not urgent and not low?",
        Answer(
            "number of records where priority is not 'urgent' and priority is not 'low'", [(5,)]
        ),
    ),
    (
        "How many tickets have between 2 and 5 replies?",
        Answer("number of records where replies is between 2 and 5", [(5,)]),
    ),
    (
        "How many tickets have at most 2 replies?",
        Answer("number of records where replies is at most 2", [(3,)]),
    ),
    (
        "How many tickets have exactly 3 replies?",
        Answer("number of records where replies is 3", [(2,)]),
    ),
    (
        "Which agent has the highest average satisfaction score?",
        Answer("agent with the highest average of satisfaction_score", [("Pia Stern",)]),
    ),
    (
        "How many tickets were opened in 2023?",
        Answer("number of records where opened_on is between 2023-01-01 and 2023-12-31", [(0,)]),
    ),
    (
        "How many tickets of Mia Vogt and Otis Lane are closed?",
        Answer(
            "number of records where agent is 'Mia Vogt' or 'Otis Lane' and status is 'closed'",
            [(4,)],
        ),
    ),
    (
        "Which tickets have no replies?",
        Answer("different ticket_no where replies is 0", [("T-111",)]),
    ),
    (
        "How many tickets have a score below 7?",
        Answer("number of records where satisfaction_score is below 7", [(2,)]),
    ),
    (
        "What is the total of hours spent by Mia Vogt?",
        Answer("sum of hours_spent where agent is 'Mia Vogt'", [(9.5,)]),
    ),
    (
        "How many tickets were opened between 1 February and 31 March 2024?",
        Answer("number of records where opened_on is between 2024-02-01 and 2024-03-31", [(6,)]),
    ),
    (
        "How many tickets were opened from February to April 2024?",
        Answer("number of records where opened_on is between 2024-02-01 and 2024-04-30", [(9,)]),
    ),
    (
        "Which ticket was opened first?",
        Answer("ticket_no where opened_on is the lowest", [("T-101",)]),
    ),
    (
        "Which urgent ticket was opened last?",
        Answer(
            "ticket_no where priority is 'urgent' and opened_on is the highest among records "
            "where priority is 'urgent'",
            [("T-110",)],
        ),
    ),
    (
        "When was the last urgent ticket opened?",
        Answer("highest opened_on where priority is 'urgent'", [(date(2024, 4, 9),)]),
    ),
    (
        "Which agent closed the most tickets?",
        Answer(
            "agent with the highest number of records where status is 'closed'", [("Noor Haddad",)]
        ),
    ),
    ("What is the earliest closing date?", Answer("lowest closed_on", [(date(2024, 1, 9),)])),
    (
        "Which is the oldest ticket?",
        Answer("ticket_no where opened_on is the lowest", [("T-101",)]),
    ),
    (
        "Which team has the lowest total of hours spent?",
        Answer("team with the lowest sum of hours_spent", [("Email",)]),
    ),
    (
        "Which team has the lowest average satisfaction score?",
        Answer("team with the lowest average of satisfaction_score", [("Payroll",)]),
    ),
    (
        "Which priority has the most tickets?",
        Answer("priority with the highest number of records", [("normal",)]),
    ),
    (
        "Which status is the most common?",
        Answer("status with the highest number of records", [("closed",)]),
    ),
    (
        "What is the most common priority of escalated tickets?",
        Answer(
            "priority with the highest number of records where escalated holds",
            [("normal",), ("urgent",)],
        ),
    ),
    (
        "How many tickets does each agent have?",
        Answer(
            "number of records, for each agent",
            [
                ("Mia Vogt", 3),
                ("Noor Haddad", 3),
                ("Otis Lane", 3),
                ("Pia Stern", 2),
                ("Quin Roy", 1),
            ],
        ),
    ),
    (
        "How many tickets of each priority are there?",
        Answer("number of records, for each priority", [("low", 4), ("normal", 5), ("urgent", 3)]),
    ),
    (
        "What is the total of replies by priority?",
        Answer("sum of replies, for each priority", [("low", 9), ("normal", 26), ("urgent", 24)]),
    ),
    (
        "How many hours were spent in total by team?",
        Answer(
            "sum of hours_spent, for each team",
            [("Email", 10.5), ("Network", 13.0), ("Payroll", 12.0)],
        ),
    ),
    (
        "What percentage of tickets of Mia Vogt are urgent?",
        Answer(
            "100 × (number of records where agent is 'Mia Vogt' and priority is 'urgent') "
            "divided by (number of records where agent is 'Mia Vogt')",
            [(33.3333,)],
        ),
    ),
    (
        "What percentage of the closed tickets were closed in March 2024?",
        Answer(
            "100 × (number of records where status is 'closed' and closed_on is between "
            "2024-03-01 and 2024-03-31) divided by (number of records where status is "
            "'closed')",
            [(22.2222,)],
        ),
    ),
    (
        "What is the difference in average hours spent between urgent and low tickets?",
        Answer(
            "difference between (average of hours_spent where priority is 'urgent') and "
            "(average of hours_spent where priority is 'low')",
            [(3.25,)],
        ),
    ),
    (
        "How many more replies does T-105 have than T-101?",
        Answer(
            "difference between (highest replies where ticket_no is 'T-105') and (highest "
            "replies where ticket_no is 'T-101')",
            [(5,)],
        ),
    ),
    (
        "Did T-105 get more replies than T-101?",
        Answer(
            "whether the highest replies where ticket_no is 'T-105' is above the highest "
            "replies where ticket_no is 'T-101'",
            [(True,)],
        ),
    ),
    (
        "Does T-105 have more replies than T-101?",
        Answer(
            "whether the highest replies where ticket_no is 'T-105' is above the highest "
            "replies where ticket_no is 'T-101'",
            [(True,)],
        ),
    ),
    (
        "Which has more replies, T-105 or T-101?",
        Answer(
            "ticket_no where ticket_no is 'T-105' or 'T-101' and replies is the highest among "
            "records where ticket_no is 'T-105' or 'T-101'",
            [("T-105",)],
        ),
    ),
    (
        "List the five tickets with the most hours spent.",
        Answer(
            "the first 5 ticket_no, by falling hours_spent",
            [("T-105",), ("T-108",), ("T-104",), ("T-110",), ("T-101",)],
        ),
    ),
    (
        "List the closed tickets with a satisfaction score above 8.",
        Answer(
            "different ticket_no where status is 'closed' and satisfaction_score is above 8",
            [("T-102",), ("T-106",), ("T-109",)],
        ),
    ),
    (
        "Which tickets were not escalated?",
        Answer(
            "different ticket_no where escalated does not hold (unknown counts as not)",
            [
                ("T-102",),
                ("T-103",),
                ("T-106",),
                ("T-107",),
                ("T-109",),
                ("T-110",),
                ("T-111",),
                ("T-112",),
            ],
        ),
    ),
    (
        "Which tickets of the Network team are closed?",
        Answer(
            "different ticket_no where team is 'Network' and status is 'closed'",
            [("T-101",), ("T-103",), ("T-109",), ("T-112",)],
        ),
    ),
    (
        "Which tickets have more than 5 replies and are not escalated?",
        Answer(
            "different ticket_no where replies is above 5 and escalated does not hold "
            "(unknown counts as not)",
            [("T-110",)],
        ),
    ),
    (
        "How many escalated tickets are not urgent?",
        Answer("number of records where escalated holds and priority is not 'urgent'", [(2,)]),
    ),
    (
        "How many tickets without escalation are there?",
        Answer("number of records where escalated does not hold (unknown counts as not)", [(8,)]),
    ),
    (
        "Are any tickets escalated?",
        Answer("whether there is a record where escalated holds", [(True,)]),
    ),
    (
        "Are there any urgent tickets in the Email team?",
        Answer(
            "whether there is a record where priority is 'urgent' and team is 'Email'", [(False,)]
        ),
    ),
    (
        "Is T-108 urgent?",
        Answer(
            "whether there is a record where ticket_no is 'T-108' and priority is 'urgent'",
            [(False,)],
        ),
    ),
    (
        "Is T-108 open?",
        Answer(
            "whether there is a record where ticket_no is 'T-108' and status is 'open'", [(True,)]
        ),
    ),
    (
        "Is T-108 open or closed?",
        Answer(
            "different status where ticket_no is 'T-108' and status is 'open' or 'closed'",
            [("open",)],
        ),
    ),
    (
        "Was T-104 escalated?",
        Answer(
            "whether there is a record where ticket_no is 'T-104' and escalated holds", [(True,)]
        ),
    ),
    (
        "Was T-103 closed in February 2024?",
        Answer(
            "whether there is a record where ticket_no is 'T-103' and closed_on is between "
            "2024-02-01 and 2024-02-29",
            [(True,)],
        ),
    ),
    (
        "How many tickets have priority urgent?",
        Answer("number of records where priority is 'urgent'", [(3,)]),
    ),
    (
        "How many tickets are of urgent priority?",
        Answer("number of records where priority is 'urgent'", [(3,)]),
    ),
    (
        "How many hours does a ticket take on average?",
        Answer("average of hours_spent", [(2.9583,)]),
    ),
    ("How long does a ticket take on average?", Answer("average of hours_spent", [(2.9583,)])),
    (
        "What is the mean number of replies of tickets that are not escalated?",
        Answer(
            "average of replies where escalated does not hold (unknown counts as not)", [(3.125,)]
        ),
    ),
    (
        "How many tickets per agent were closed?",
        Answer(
            "number of records where status is 'closed', for each agent",
            [
                ("Mia Vogt", 2),
                ("Noor Haddad", 3),
                ("Otis Lane", 2),
                ("Pia Stern", 1),
                ("Quin Roy", 1),
            ],
        ),
    ),
    (
        "Which agent has the fewest tickets?",
        Answer("agent with the lowest number of records", [("Quin Roy",)]),
    ),
]

REFUSED: list[tuple[str, Refusal]] = [
    ("What is the total satisfaction score?", Refusal(reason="this form of question is not known")),
    ("Which teams have no urgent tickets?", Refusal(("no",))),
    ("Which team has no escalated tickets?", Refusal(("no",))),
    ("What is the average time between opening and closing?", Refusal(("time",))),
    (
        "How many days did it take to close T-103?",
        Refusal(reason="this form of question is not known"),
    ),
    ("How many tickets were reopened?", Refusal(("reopened",))),
    (
        "How many tickets did the customer cancel?",
        Refusal(
            (
                "customer",
                "cancel",
            )
        ),
    ),
    ("How many tickets were resolved by Mia Vogt?", Refusal(("resolved",))),
    ("What is the average hours spent by team and priority?", Refusal(("priority",))),
    ("Which agent is the best?", Refusal(reason="this form of question is not known")),
    ("Which ticket is the worst?", Refusal(reason="this form of question is not known")),
    ("How many hours did Mia Vogt work?", Refusal(reason="this form of question is not known")),
    ("How many hours per reply are spent?", Refusal(reason="this form of question is not known")),
    ("What is the trend of tickets?", Refusal(("trend",))),
    (
        "What is the difference between Network, Email and Payroll?",
        Refusal(reason="this form of question is not known"),
    ),
    (
        "How many tickets does the average agent have?",
        Refusal(reason="this form of question is not known"),
    ),
    (
        "How many tickets does each agent have on average?",
        Refusal(reason="this form of question is not known"),
    ),
    ("What is the last ticket before T-110?", Refusal(reason="this form of question is not known")),
    ("How many tickets were opened on the same day as T-110?", Refusal(("same",))),
    (
        "What is the minimum of the maximum replies?",
        Refusal(reason="this form of question is not known"),
    ),
    (
        "How many tickets were opened this year?",
        Refusal(
            (
                "opened",
                "year",
            )
        ),
    ),
    (
        "How many tickets were opened last month?",
        Refusal(
            (
                "How",
                "many",
                "month",
            )
        ),
    ),
    ("How many tickets are nearly closed?", Refusal(("nearly",))),
    ("Which agent has no open ticket?", Refusal(("no",))),
    ("How many tickets were opened and closed in March 2024?", Refusal(("opened",))),
    (
        "When was the first ticket of Otis Lane closed?",
        Refusal(reason="this question can be read in two ways"),
    ),
    ("Who has the highest satisfaction score?", Refusal(("Who",))),
    ("What share of the hours was spent on urgent tickets?", Refusal(("hours was spent",))),
    (
        "How many tickets are high priority?",
        Refusal(
            (
                "high",
                "priority",
            )
        ),
    ),
    ("What is the cost of a ticket?", Refusal(("cost",))),
    ("What is the backlog?", Refusal(("backlog",))),
    (
        "How happy are customers?",
        Refusal(
            (
                "How",
                "happy",
                "customers",
            )
        ),
    ),
    ("How many tickets were handled?", Refusal(("handled",))),
    ("How many tickets were handled by the best agent?", Refusal(("handled",))),
    (
        "What was the first response time?",
        Refusal(
            (
                "response",
                "time",
            )
        ),
    ),
    ("Which agents are on holiday?", Refusal(("holiday",))),
    ("Which agent is the fastest?", Refusal(reason="this form of question is not known")),
    ("Show everything.", Refusal(("everything",))),
    (
        "How many tickets contain the word printer?",
        Refusal(
            (
                "word",
                "printer",
            )
        ),
    ),
    (
        "Wie viele Tickets sind offen?",
        Refusal(
            (
                "Wie",
                "viele",
                "sind",
                "offen",
            )
        ),
    ),
    (
        "Welcher Agent hat die meisten Tickets?",
        Refusal(
            (
                "Welcher",
                "hat",
                "die",
                "meisten",
            )
        ),
    ),
    (
        "Zeige alle dringenden Tickets",
        Refusal(
            (
                "Zeige",
                "alle",
                "dringenden",
            )
        ),
    ),
]


@pytest.mark.parametrize(("question", "expected"), ANSWERED, ids=[q for q, _ in ANSWERED])
def test_a_question_about_tickets_has_this_answer(question: str, expected: Answer) -> None:
    assert answer(WORLD, question) == expected


@pytest.mark.parametrize(("question", "expected"), REFUSED, ids=[q for q, _ in REFUSED])
def test_a_question_about_tickets_is_refused_for_this_reason(
    question: str, expected: Refusal
) -> None:
    assert refusal(WORLD, question) == expected
