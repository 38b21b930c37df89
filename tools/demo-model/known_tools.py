"""Tools that people try first, with requests in everyday words. Their values are drawn anew each time."""

from dataclasses import dataclass

from words import Words


@dataclass
class KnownTool:
    wire: dict
    #: Draws (request without its beginning, arguments).
    wish: object

    @property
    def name(self) -> str:
        return self.wire["function"]["name"]


def wire(name: str, description: str, properties: dict, required: list | None = None) -> dict:
    parameters = {"type": "object", "properties": properties, "required": required or list(properties)}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


STRING, INTEGER, NUMBER, BOOLEAN = ({"type": kind} for kind in ("string", "integer", "number", "boolean"))
LANGUAGES = ["German", "French", "Spanish", "Italian", "Dutch", "Polish"]
CURRENCIES = ["EUR", "USD", "GBP", "JPY", "CHF"]
ROOMS = ["kitchen", "bedroom", "office", "hall", "garden", "bathroom"]


def known_tool(words: Words) -> KnownTool:
    return words.rng.choice(MAKERS)(words)


def weather(words: Words) -> KnownTool:
    rng = words.rng
    name = rng.choice(("get_weather", "weather", "get_current_weather", "get_forecast"))
    place = rng.choice(("city", "city", "location", "place"))
    properties = {place: STRING}
    has_unit, has_days = rng.random() < 0.3, rng.random() < 0.2
    if has_unit:
        properties["unit"] = {"type": "string", "enum": ["celsius", "fahrenheit"]}
    if has_days:
        properties["days"] = INTEGER
    description = rng.choice(("Get the weather of a city", "Current weather in a city", "The weather for a place", "Get the current weather in a given location", "Get weather"))

    def wish():
        city = words.city()
        text = rng.choice(("what is the weather in {}", "what is the weather like in {}", "how is the weather in {}", "tell me the weather in {}", "get the weather in {}", "is it raining in {}", "check the weather for {}", "weather in {}")).format(city)
        arguments = {place: city}
        if has_days and rng.random() < 0.6:
            arguments["days"] = rng.randint(1, 9)
            text += f" for {arguments['days']} days"
        if has_unit and rng.random() < 0.6:
            arguments["unit"] = rng.choice(["celsius", "fahrenheit"])
            text += f" in {arguments['unit']}"
        return text, {key: arguments[key] for key in properties if key in arguments}

    return KnownTool(wire(name, description, properties, [place]), wish)


def email(words: Words) -> KnownTool:
    rng = words.rng

    def wish():
        to, subject = words.person(), words.phrase(1, 3)
        return rng.choice(("send an email to {} about {}", "write an email to {} about {}", "email {} about {}", "send a mail to {} with the subject {}")).format(to, subject), {"to": to, "subject": subject}

    return KnownTool(wire("send_email", "Send an email", {"to": STRING, "subject": STRING}), wish)


def timer(words: Words) -> KnownTool:
    rng = words.rng

    def wish():
        minutes = rng.randint(1, 90)
        return rng.choice(("set a timer for {} minutes", "start a timer of {} minutes", "set the timer to {} minutes", "remind me in {} minutes")).format(minutes), {"minutes": minutes}

    return KnownTool(wire(rng.choice(("set_timer", "start_timer")), "Start a timer", {"minutes": INTEGER}), wish)


def table(words: Words) -> KnownTool:
    rng = words.rng

    def wish():
        people, place = rng.randint(2, 12), words.made_up().capitalize()
        return rng.choice(("book a table for {} people at {}", "reserve a table for {} at {}", "book a table for {} at {}")).format(people, place), {"restaurant": place, "people": people}

    return KnownTool(wire("book_table", "Book a table in a restaurant", {"restaurant": STRING, "people": INTEGER}), wish)


def translation(words: Words) -> KnownTool:
    rng = words.rng

    def wish():
        text, language = words.phrase(1, 4), rng.choice(LANGUAGES)
        return rng.choice(('translate "{}" into {}', 'translate "{}" to {}', 'say "{}" in {}', "translate {} into {}")).format(text, language), {"text": text, "language": language}

    return KnownTool(wire(rng.choice(("translate", "translate_text")), "Translate a text", {"text": STRING, "language": STRING}), wish)


def search(words: Words) -> KnownTool:
    rng = words.rng
    has_limit = rng.random() < 0.4
    properties = {"query": STRING, **({"limit": INTEGER} if has_limit else {})}

    def wish():
        query = words.phrase(1, 4)
        text = rng.choice(("search for {}", "search the web for {}", "find {}", "look up {}", "find pages about {}")).format(query)
        arguments = {"query": query}
        if has_limit and rng.random() < 0.5:
            arguments["limit"] = rng.randint(1, 20)
            text += rng.choice((", at most {} results", " with limit {}", ", limit {}")).format(arguments["limit"])
        return text, arguments

    return KnownTool(wire(rng.choice(("web_search", "search", "search_web")), rng.choice(("Search the web", "Find pages")), properties, ["query"]), wish)


def currency(words: Words) -> KnownTool:
    rng = words.rng

    def wish():
        amount, source, target = words.number(), *rng.sample(CURRENCIES, 2)
        return rng.choice(("convert {} {} to {}", "how much is {} {} in {}", "change {} {} into {}")).format(amount, source, target), {"amount": amount, "from": source, "to": target}

    return KnownTool(wire("convert_currency", "Convert money", {"amount": NUMBER, "from": STRING, "to": STRING}), wish)


def light(words: Words) -> KnownTool:
    rng = words.rng

    def wish():
        room, on = rng.choice(ROOMS), rng.random() < 0.5
        state = "on" if on else "off"
        return rng.choice((f"turn {state} the light in the {room}", f"turn the {room} light {state}", f"switch {state} the {room} light")), {"room": room, "on": on}

    return KnownTool(wire("set_light", "Turn a light on or off", {"room": STRING, "on": BOOLEAN}), wish)


def clock(words: Words) -> KnownTool:
    rng = words.rng

    def wish():
        city = words.city()
        return rng.choice(("what time is it in {}", "tell me the time in {}", "what is the time in {}")).format(city), {"city": city}

    return KnownTool(wire(rng.choice(("get_time", "current_time")), "The time in a city", {"city": STRING}), wish)


def note(words: Words) -> KnownTool:
    rng = words.rng

    def wish():
        text = words.phrase(2, 5)
        return rng.choice(("make a note: {}", "write a note: {}", "note that {}", 'create a note "{}"')).format(text), {"text": text}

    return KnownTool(wire(rng.choice(("create_note", "add_note")), "Write a note", {"text": STRING}), wish)


def file(words: Words) -> KnownTool:
    rng = words.rng

    def wish():
        path = f"{words.noun()}/{words.noun()}.{rng.choice(('txt', 'ts', 'json', 'md'))}" if rng.random() < 0.5 else f"{words.noun()}.{rng.choice(('txt', 'ts', 'json', 'md'))}"
        return rng.choice(("read the file {}", "show me {}", "open the file {}", "what is in {}")).format(path), {"path": path}

    return KnownTool(wire("read_file", "Read a file", {"path": STRING}), wish)


def event(words: Words) -> KnownTool:
    rng = words.rng

    def wish():
        title, day = words.phrase(1, 2), rng.choice(("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"))
        return rng.choice(("create an event {} on {}", "add {} on {} to my calendar", "plan {} for {}")).format(title, day), {"title": title, "day": day}

    return KnownTool(wire("create_event", "Add an event to the calendar", {"title": STRING, "day": STRING}), wish)


def song(words: Words) -> KnownTool:
    rng = words.rng

    def wish():
        title = words.phrase(1, 3)
        return rng.choice(("play {}", "play the song {}", 'play "{}"')).format(title), {"title": title}

    return KnownTool(wire(rng.choice(("play_song", "play_music")), "Play a song", {"title": STRING}), wish)


def addition(words: Words) -> KnownTool:
    rng = words.rng
    name, description, texts = rng.choice(
        (("add", "Add two numbers", ("add {} and {}", "what is {} plus {}", "what is {} + {}")),
         ("multiply", "Multiply two numbers", ("multiply {} by {}", "what is {} times {}", "what is {} * {}")))
    )

    def wish():
        a, b = words.number(), words.number()
        return rng.choice(texts).format(a, b), {"a": a, "b": b}

    return KnownTool(wire(name, description, {"a": NUMBER, "b": NUMBER}), wish)


MAKERS = [weather, weather, email, timer, table, translation, search, currency, light, clock, note, file, event, song, addition]
