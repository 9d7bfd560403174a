"""Python clients against a local run, each as its documentation shows it; prints what they were answered as JSON.

Environment: GATEWAY_URL, GATEWAY_KEY. No other key or address is there: a client that calls its vendor fails.
"""

import json
import os

import anthropic
import litellm
import openai
from langchain_openai import ChatOpenAI
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

litellm.suppress_debug_info = True
URL = os.environ["GATEWAY_URL"]
KEY = os.environ["GATEWAY_KEY"]
MODEL = "gpt-client"
BLOCKED = "tell me about project bluebird"
WEATHER = "weather in Oslo"
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


class City(BaseModel):
    city: str


def refused(call):
    try:
        call()
    except Exception as error:  # the class differs from library to library
        return {"status": getattr(error, "status_code", None), "message": str(error)}
    return {"status": 200}


def with_openai():
    client = openai.OpenAI(base_url=f"{URL}/v1", api_key=KEY, max_retries=0)
    ask = lambda text, **more: client.chat.completions.create(
        model=MODEL, messages=[{"role": "user", "content": text}], **more
    )
    tool = {"type": "function", "name": "weather", "parameters": SCHEMA}
    called = client.responses.create(model=MODEL, input=WEATHER, tools=[tool])
    return {
        "text": ask("hello").choices[0].message.content,
        "stream": [part.choices[0].delta.content for part in ask("hello", stream=True) if part.choices and part.choices[0].delta.content],
        "responses": client.responses.create(model=MODEL, input="hello").output_text,
        "tool": [item.name for item in called.output if item.type == "function_call"],
        "parsed": client.chat.completions.parse(
            model=MODEL, messages=[{"role": "user", "content": "Oslo as json"}], response_format=City
        ).choices[0].message.parsed.city,
        "models": [model.id for model in client.models.list()],
        "refused": refused(lambda: ask(BLOCKED)),
    }


def raised(call):
    """What a user of the library catches: the class, the status and the id to ask about."""
    try:
        call()
    except Exception as error:  # the class is what is looked at
        return {
            "class": type(error).__name__,
            "status": getattr(error, "status_code", None),
            "request_id": getattr(error, "request_id", None),
        }
    return {"class": None}


def odd_with_openai():
    client = openai.OpenAI(base_url=f"{URL}/v1", api_key=KEY, max_retries=0)
    hello = [{"role": "developer", "content": "be brief"}, {"role": "user", "content": "hello"}]
    raw = client.chat.completions.with_raw_response.create(
        model=MODEL,
        messages=hello,
        store=True,
        metadata={"a": "b"},
        service_tier="flex",
        reasoning_effort="low",
        logprobs=True,
        top_logprobs=2,
        seed=1,
        tools=[{"type": "function", "function": {"name": "weather", "strict": True, "parameters": SCHEMA}}],
        parallel_tool_calls=False,
    )
    with client.chat.completions.stream(
        model=MODEL, messages=hello, stream_options={"include_usage": True}
    ) as stream:
        final = stream.get_final_completion()
    long = [{"role": "user", "content": "x" * 10_500_000}]
    empty = lambda: client.chat.completions.create(model=MODEL, messages=[])
    return {
        "raw": [raw.parse().choices[0].message.content, raw.headers.get("x-request-id"), raw.request_id],
        "final": [final.choices[0].message.content, final.usage.completion_tokens],
        "too_long": raised(lambda: client.chat.completions.create(model=MODEL, messages=long)),
        "empty": raised(empty),
        "wrong_key": raised(openai.OpenAI(base_url=f"{URL}/v1", api_key="nobody", max_retries=0).models.list),
        "nothing_there": raised(lambda: client.beta.threads.create()),
    }


def odd_with_anthropic():
    client = anthropic.Anthropic(base_url=URL, api_key=KEY, max_retries=0)
    hello = {"model": MODEL, "max_tokens": 100, "messages": [{"role": "user", "content": "hello"}]}
    raw = client.messages.with_raw_response.create(**hello)
    with client.messages.stream(**hello) as stream:
        final = stream.get_final_message()
    long = {**hello, "messages": [{"role": "user", "content": "x" * 10_500_000}]}
    return {
        "raw": [raw.parse().content[0].text, raw.headers.get("request-id"), raw.request_id],
        "final": [final.content[0].text, final.usage.output_tokens, final.stop_reason],
        "counted": client.beta.messages.count_tokens(model=MODEL, messages=hello["messages"]).input_tokens,
        "too_long": raised(lambda: client.messages.create(**long)),
        "empty": raised(lambda: client.messages.create(**{**hello, "messages": []})),
        "wrong_key": raised(anthropic.Anthropic(base_url=URL, api_key="nobody", max_retries=0).models.list),
        "nothing_there": raised(lambda: client.messages.batches.list()),
    }


def with_anthropic():
    client = anthropic.Anthropic(base_url=URL, api_key=KEY, max_retries=0)
    ask = lambda text, **more: client.messages.create(
        model=MODEL, max_tokens=100, messages=[{"role": "user", "content": text}], **more
    )
    tool = {"name": "weather", "input_schema": SCHEMA}
    with client.messages.stream(
        model=MODEL, max_tokens=100, messages=[{"role": "user", "content": "hello"}]
    ) as stream:
        pieces = list(stream.text_stream)
    return {
        "text": ask("hello").content[0].text,
        "stream": pieces,
        "tool": [block.name for block in ask(WEATHER, tools=[tool]).content if block.type == "tool_use"],
        "models": [model.id for model in client.models.list()],
        "refused": refused(lambda: ask(BLOCKED)),
    }


def with_pydantic_ai():
    to_openai = OpenAIProvider(base_url=f"{URL}/v1", api_key=KEY)
    kinds = {
        "chat": OpenAIChatModel(MODEL, provider=to_openai),
        "responses": OpenAIResponsesModel(MODEL, provider=to_openai),
        "messages": AnthropicModel(MODEL, provider=AnthropicProvider(base_url=URL, api_key=KEY)),
    }

    def run(model):
        agent = Agent(model)
        heard = []

        @agent.tool_plain
        def weather(city: str) -> str:
            heard.append(city)
            return f"sunny in {city}"

        return {
            "text": Agent(model).run_sync("hello").output,
            "tool": {"text": agent.run_sync(WEATHER).output, "heard": heard},
            "refused": refused(lambda: Agent(model).run_sync(BLOCKED)),
        }

    return {name: run(model) for name, model in kinds.items()}


def with_langchain():
    def run(use_responses_api):
        model = ChatOpenAI(
            model=MODEL, base_url=f"{URL}/v1", api_key=KEY, max_retries=0, use_responses_api=use_responses_api
        )
        tool = {"name": "weather", "description": "The weather of a city", "parameters": SCHEMA}
        place = {"title": "place", "description": "A place", **SCHEMA}
        return {
            "text": model.invoke("hello").text,
            "stream": [part.text for part in model.stream("hello") if part.text],
            "tool": [call["name"] for call in model.bind_tools([tool]).invoke(WEATHER).tool_calls],
            "structured": model.with_structured_output(place, method="json_schema").invoke("Oslo as json"),
            "refused": refused(lambda: model.invoke(BLOCKED)),
        }

    return {"chat": run(False), "responses": run(True)}


def with_litellm():
    routes = {"openai": (f"openai/{MODEL}", f"{URL}/v1"), "anthropic": (f"anthropic/{MODEL}", URL)}

    def run(model, base):
        ask = lambda text, **more: litellm.completion(
            model=model, api_base=base, api_key=KEY, max_tokens=100, num_retries=0, messages=[{"role": "user", "content": text}], **more
        )
        return {
            "text": ask("hello").choices[0].message.content,
            "stream": [part.choices[0].delta.content for part in ask("hello", stream=True) if part.choices[0].delta.content],
            "refused": refused(lambda: ask(BLOCKED)),
        }

    return {name: run(*route) for name, route in routes.items()}


print(
    json.dumps(
        {
            "openai": with_openai(),
            "anthropic": with_anthropic(),
            "pydantic_ai": with_pydantic_ai(),
            "langchain": with_langchain(),
            "litellm": with_litellm(),
            "odd": {"openai": odd_with_openai(), "anthropic": odd_with_anthropic()},
        }
    )
)
