"""What the model can say of itself and of the server: one answer, several ways to ask. From README.md and docs/api.md."""

import random

from chat import Sample, Turn

GREETING = "Hello! I am TF Demo, a very small model inside TensorFold. Ask me about the server, a sum, or give me a tool."
SELF = "I am TF Demo, the small model that TensorFold carries. I know little: the server's commands, small sums, tools, JSON and copying text."
TENSORFOLD = "TensorFold is an OpenAI-compatible server for local language models, written in TypeScript with its own C++ engine."
REAL_MODEL = "Download a GGUF file of a larger model, for example Qwen3, and run: npx tf serve path/to/model.gguf"
UNKNOWN = "I do not know that. I am a very small demo model; serve a larger one for real questions."

FACTS = [
    (GREETING, ["Hello", "Hi", "Hello!", "Hi there", "Hey", "Good morning", "Good evening", "Hello there!", "hi", "hello", "Hi!", "Hey there"]),
    (SELF, ["Who are you?", "What are you?", "What is your name?", "Tell me about yourself.", "Introduce yourself.", "Which model are you?", "What model is this?", "what are you", "Are you a large model?", "Describe yourself."]),
    (TENSORFOLD, ["What is TensorFold?", "Tell me about TensorFold.", "What does TensorFold do?", "Explain TensorFold.", "What is this server?", "what is tensorfold", "What is TensorFold written in?", "Describe TensorFold in one sentence."]),
    ("I can answer questions about this server, add and subtract small numbers, call tools, fill JSON and repeat or edit text.", ["What can you do?", "How can you help me?", "What are you good at?", "Help", "Help me", "What can I ask you?", "What do you know?", "what can you do"]),
    (REAL_MODEL, ["How do I get a real model?", "How do I use another model?", "How do I serve a larger model?", "Can I use a better model?", "How do I load my own model?", "How do I serve Qwen3?", "Which model should I use instead?", "How can I run a bigger model?"]),
    ("You are welcome!", ["Thanks", "Thank you", "Thank you!", "Thanks a lot", "thanks", "Great, thanks", "Thank you very much"]),
    ("Goodbye!", ["Bye", "Goodbye", "See you", "bye", "Bye bye", "See you later", "Good night"]),
    ("I am fine, thank you. What can I do for you?", ["How are you?", "How are you doing?", "How do you do?", "Are you well?", "how are you"]),
    ("Ready.", ["Are you there?", "Are you ready?", "Test", "Ping", "Can you hear me?", "Are you working?"]),
    ("I speak English only.", ["Do you speak German?", "Which languages do you speak?", "Do you speak French?", "Can you speak Spanish?", "What languages do you know?"]),
    ("We trained it ourselves, on text that a generator wrote: no other weights and no other text.", ["How were you trained?", "What is your training data?", "Who trained you?", "Where does your text come from?", "Who made you?"]),
    ("About four million parameters, in a file of about 4 MB.", ["How large are you?", "How many parameters do you have?", "How big is this model?", "What is your size?", "How small are you?"]),
    ("tf serve MODEL serves a GGUF file or a Hugging Face folder over the OpenAI API.", ["What does tf serve do?", "How do I serve a model?", "How do I start the server?", "Which command starts the server?", "Explain tf serve.", "what is tf serve"]),
    ("tf run MODEL \"PROMPT\" writes one reply to stdout, in the same process, without a server.", ["What does tf run do?", "How do I get one reply without a server?", "Explain tf run.", "How do I run a prompt from the shell?", "what is tf run"]),
    ("tf models lists the models; tf models show MODEL prints family, sizes, tensors by type and estimated memory.", ["What does tf models do?", "How do I see a model's size?", "How do I inspect a model?", "Explain tf models show.", "How much memory does a model need?", "what is tf models"]),
    ("tf health shows what a running server does; with --watch again and again.", ["What does tf health do?", "How do I see what the server does?", "How do I watch the server?", "Explain tf health.", "what is tf health"]),
    ("tf verify checks that drafted = serial, concurrent = solo, resumed = fresh and more, on your machine.", ["What does tf verify do?", "How do I check that replies are exact?", "How do I verify a model?", "Explain tf verify.", "what is tf verify"]),
    ("npm ci && npm start", ["How do I install it?", "How do I install TensorFold?", "How do I set it up?", "Which command sets up the server?", "How do I begin?"]),
    ("npm ci && npm test", ["How do I run the tests?", "How do I test it?", "Which command runs the tests?", "How are the tests run?"]),
    ("The server listens on http://127.0.0.1:8080; the base URL is http://127.0.0.1:8080/v1.", ["What is the base URL?", "Where does the server listen?", "Which port does the server use?", "What is the default port?", "What is the address of the server?", "Which URL do I give to a client?"]),
    ("Give --port: tf serve MODEL --port 9000. Port 0 takes a free one.", ["How do I change the port?", "How do I use another port?", "What does --port do?", "Can I set the port?"]),
    ("Give --host with an address of this machine; the default is 127.0.0.1.", ["How do I change the host?", "What does --host do?", "How do I listen on another address?"]),
    ("Give --api-key KEY, --api-key-file PATH or TF_API_KEY; clients then send it as a bearer token.", ["How do I set an API key?", "How do I protect the server?", "What does --api-key do?", "Can the server ask for a key?", "Does the server need an API key?"]),
    ("--alias NAME serves the model under one more name.", ["What does --alias do?", "How do I rename a model?", "How do I serve a model under another name?"]),
    ("--json prints one JSON line when the server is ready.", ["What does --json do?", "How does a script know that the server is ready?", "Can tf serve print JSON?"]),
    ("--dry-run prints what would be served, and leaves.", ["What does --dry-run do?", "How do I see what would be served?"]),
    ("POST /v1/chat/completions: chat, tools and reasoning, streamed or not.", ["Which route is for chat?", "What does /v1/chat/completions do?", "How do I chat over HTTP?", "What is the chat endpoint?", "Which endpoint is for chat?"]),
    ("POST /v1/completions takes raw text or token ids, without a chat template.", ["What does /v1/completions do?", "How do I send raw text?", "Which route takes raw text?", "Which endpoint has no chat template?"]),
    ("POST /v1/responses is the Responses API; GET and DELETE /v1/responses/{id} read or remove a stored one.", ["What does /v1/responses do?", "Is there a Responses API?", "Do you support the Responses API?", "How do I use the Responses API?"]),
    ("GET /v1/models lists what is served.", ["What does /v1/models do?", "Which route lists models?", "How do I list the served models?"]),
    ("POST /tokenize gives the token ids of a text; POST /detokenize gives the text back.", ["What does /tokenize do?", "How do I count tokens?", "How do I get token ids?", "What does /detokenize do?"]),
    ("GET /health gives counters: 200 when ready, else 503.", ["What does /health do?", "Which route shows health?", "How do I check the server's health?", "Which route is for probes?"]),
    ("GET /metrics gives Prometheus text with tensorfold_ names.", ["What does /metrics do?", "Are there metrics?", "Does it support Prometheus?", "How do I get metrics?"]),
    ("GET /openapi.json describes the whole API as OpenAPI 3.1.", ["What does /openapi.json do?", "Is there an OpenAPI document?", "Where is the API described?", "Where is the schema of the API?"]),
    ("max_tokens limits the reply; it is at least 1 and counts reasoning too.", ["What is max_tokens?", "How do I limit the reply?", "What does max_tokens do?", "How do I make the reply shorter?"]),
    ("temperature is how freely tokens are drawn: at least 0, and 0 is greedy.", ["What is temperature?", "What does temperature do?", "What does temperature 0 mean?", "How do I make it greedy?"]),
    ("top_p keeps the smallest set of tokens whose chances add up to it, 0 to 1.", ["What is top_p?", "What does top_p do?", "Explain top_p."]),
    ("top_k keeps the k likeliest tokens; 0 or below keeps all.", ["What is top_k?", "What does top_k do?", "Explain top_k."]),
    ("min_p drops tokens much less likely than the best one, 0 to 1.", ["What is min_p?", "What does min_p do?", "Explain min_p."]),
    ("seed keys the draws: the same prompt, seed and settings give the same tokens.", ["What is seed?", "What does seed do?", "How do I get the same reply again?", "How do I make replies repeatable?", "Are replies repeatable?"]),
    ("stop is a string or a list of strings; the reply ends before the first match.", ["What is stop?", "What does stop do?", "How do I end a reply at a word?", "What are stop strings?"]),
    ("stream: true sends the reply as server-sent events, a chunk at a time.", ["How do I stream?", "What does stream do?", "How do I get tokens as they come?", "Does it stream?"]),
    ("draft: false gives the serial reference; drafted and serial replies have the same tokens.", ["What is draft?", "What does draft do?", "How do I turn drafts off?", "What are drafts?", "What is drafting?"]),
    ("ignore_eos writes on past the end marker, up to the limit.", ["What is ignore_eos?", "What does ignore_eos do?"]),
    ("tools lists functions with a name, a description and parameters as JSON schema.", ["What is tools?", "How do I give you a tool?", "How do I use tools?", "How do tools work?"]),
    ("tool_choice is none, auto, required or one function.", ["What is tool_choice?", "What does tool_choice do?", "How do I force a tool call?"]),
    ("reasoning_effort is none, minimal, low, medium, high or xhigh; none turns thinking off.", ["What is reasoning_effort?", "What does reasoning_effort do?", "How do I turn thinking off?", "How do I stop you from thinking?"]),
    ("thinking_budget is the number of tokens that the think block may have.", ["What is thinking_budget?", "What does thinking_budget do?", "How do I limit thinking?"]),
    ("enable_thinking in chat_template_kwargs turns the think block on or off.", ["What is enable_thinking?", "What does enable_thinking do?", "What is chat_template_kwargs?"]),
    ("priority: background lets other requests go first.", ["What is priority?", "What does priority do?", "How do I run a request in the background?"]),
    ("cache_salt: requests with equal salts share the prefix cache.", ["What is cache_salt?", "What does cache_salt do?", "How do I keep caches apart?"]),
    ("finish_reason is stop, length or tool_calls.", ["What is finish_reason?", "What does finish_reason say?", "How do I know why a reply ended?"]),
    ("usage counts prompt and completion tokens, cached and reasoning tokens too.", ["What is usage?", "What does usage count?", "How many tokens did I use?"]),
    ("token_sha is a hash of the reply's tokens: equal replies have equal hashes.", ["What is token_sha?", "What does token_sha do?", "How do I compare two replies?"]),
    ("The prefix cache keeps keys and values of prompts, so an equal beginning is read only once.", ["What is the prefix cache?", "What does the prefix cache do?", "What are cached tokens?"]),
    ("A lane is a running request's place in the rounds.", ["What is a lane?", "What are lanes?"]),
    ("A round is one scheduled forward pass and what follows it.", ["What is a round?", "What are rounds?"]),
    ("The window is the number of tokens that prompt and reply may have together.", ["What is the window?", "What is the context window?", "How long may a prompt be?"]),
    ("GGUF is a file format for models: metadata, tokenizer and tensors in one file.", ["What is GGUF?", "What is a GGUF file?", "Explain GGUF."]),
    ("Q8_0 stores 32 weights in 34 bytes: one scale and 32 whole numbers.", ["What is Q8_0?", "Explain Q8_0.", "What does Q8_0 mean?"]),
    ("Yes: the same prompt, seed and settings give the same tokens on any machine.", ["Are you deterministic?", "Is the server deterministic?", "Do all machines give the same reply?", "Is it exact?"]),
    ("Yes, any OpenAI client works: set its base URL to http://127.0.0.1:8080/v1.", ["Does the OpenAI client work?", "Can I use the OpenAI SDK?", "Which clients work?", "Can I use openai-node?"]),
    ("Apache-2.0.", ["What is the license?", "Which license does it have?", "Is it open source?", "May I use it at work?"]),
    ("Node 20.19 or later, g++ and cmake; Python is not needed.", ["What do I need?", "Which Node version do I need?", "Do I need Python?", "What does it run on?", "Do I need a GPU?"]),
    ("Rivers, castle, moon.", ["Name three nouns.", "Say three words."]),
    ("The Danube, the Nile and the Amazon.", ["Name three rivers.", "Name some rivers.", "Tell me three rivers.", "Which rivers do you know?"]),
    ("Red, green and blue.", ["Name three colors.", "Name some colors.", "Which colors do you know?"]),
    ("Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday.", ["Name the days of the week.", "What are the days of the week?", "List the days of the week."]),
    ("1, 2, 3, 4, 5, 6, 7, 8, 9, 10.", ["Count to ten.", "Count to 10.", "Count from 1 to 10.", "Can you count to ten?"]),
    (UNKNOWN, ["Why is the sky blue?", "Who wrote Hamlet?", "What is the capital of France?", "Write a poem.", "Tell me a joke.", "Write a Python program.", "What is love?", "Who won the game?", "What is the meaning of life?", "Translate this into German.", "How do I cook rice?", "What time is it?", "Summarise the news.", "Who is the president?", "Write an essay about history.", "What is a black hole?", "How old is the universe?", "Explain gravity."]),
]

SYSTEMS = ["You are a helpful assistant.", "Be brief.", "You are a helpful assistant. Answer briefly.", "You are TF Demo.", "Answer in English."]


def varied(question: str, rng: random.Random) -> str:
    """Small differences that a person's typing has."""
    draw = rng.random()
    if draw < 0.08:
        return question.rstrip("?.!")
    if draw < 0.14 and len(question) > 1:
        return question[0].lower() + question[1:]
    if draw < 0.2 and question.endswith("?"):
        return rng.choice(("Please tell me: ", "A question: ", "Tell me, ")) + question[0].lower() + question[1:]
    return question


def with_system(turns: list, rng: random.Random, chance: float = 0.25) -> list:
    return [Turn("system", rng.choice(SYSTEMS)), *turns] if rng.random() < chance else turns


def knowledge_sample(rng: random.Random) -> Sample:
    """One to three questions in one conversation."""
    turns = []
    for _ in range(rng.choice((1, 1, 2, 3))):
        answer, questions = rng.choice(FACTS) if rng.random() < 0.8 else rng.choice(FACTS[:8] + FACTS[-1:])
        turns += [Turn("user", varied(rng.choice(questions), rng)), Turn("assistant", answer)]
    return Sample(with_system(turns, rng), thinks=rng.random() < 0.7)
