"""Odd requests through pydantic-ai and LiteLLM, over providers of both forms; prints what came of them as JSON.

Environment: GATEWAY_URL, GATEWAY_KEY. Each prompt says `case <name>.`
"""

import asyncio
import json
import os
import time

import litellm
import openai
from pydantic import BaseModel
from pydantic_ai import Agent, BinaryContent, ToolReturn
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

litellm.suppress_debug_info = True
URL = os.environ["GATEWAY_URL"]
KEY = os.environ["GATEWAY_KEY"]
MODELS = {"openai": "gpt-client", "anthropic": "claude-client"}
PNG_TEXT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
LONG = ("All work and no play. " * 4000).strip()
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": False}
TOOL = {"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}
results = {}


class City(BaseModel):
    city: str


def case(name, ask):
    try:
        results[name] = ask(f"case {name}.")
    except Exception as error:  # the class differs from library to library
        results[name] = {"error": {"status": getattr(error, "status_code", None), "message": str(error), "class": type(error).__name__}}


def pydantic_models(kind):
    ours = OpenAIProvider(base_url=f"{URL}/v1", api_key=KEY)
    return {
        "chat": OpenAIChatModel(MODELS[kind], provider=ours),
        "responses": OpenAIResponsesModel(MODELS[kind], provider=ours),
        "messages": AnthropicModel(MODELS[kind], provider=AnthropicProvider(base_url=URL, api_key=KEY)),
    }


def with_pydantic(way, kind):
    at = lambda of: f"pydantic-ai {way} {kind} {of}"
    model = lambda: pydantic_models(kind)[way]
    import base64

    png = BinaryContent(data=base64.b64decode(PNG_TEXT), media_type="image/png")
    case(at("image"), lambda prompt: Agent(model(), instructions=LONG).run_sync([prompt, png]).output)

    def tools(prompt):
        agent = Agent(model())
        heard = []

        @agent.tool_plain
        def weather(city: str) -> str:
            heard.append(city)
            return f"sunny in {city}"

        return {"text": agent.run_sync(prompt).output, "calls": len(heard)}

    def picture(prompt):
        agent = Agent(model())

        @agent.tool_plain
        def picture(city: str) -> ToolReturn:
            return ToolReturn(return_value="the picture", content=["here", png])

        return agent.run_sync(prompt).output

    case(at("parallel tools"), tools)
    case(at("picture tool"), picture)
    settings = {"temperature": 0.2, "top_p": 0.9, "max_tokens": 50}
    case(at("settings"), lambda prompt: Agent(model(), model_settings=settings).run_sync(prompt).output)
    from pydantic_ai import NativeOutput

    # Which models of Anthropic have it natively goes by their names.
    if way != "messages":
        case(at("as json"), lambda prompt: Agent(model(), output_type=NativeOutput(City)).run_sync(prompt).output.city)

    def abort(prompt):
        async def run():
            async with Agent(model()).run_stream(prompt) as result:
                async for _ in result.stream_text(delta=True, debounce_by=None):
                    return "left"

        return asyncio.run(run())

    case(at("abort"), abort)
    case(at("retries"), lambda prompt: Agent(model()).run_sync(prompt).output)


def with_litellm(way, kind):
    at = lambda of: f"litellm {way} {kind} {of}"
    model, base = {"openai": (f"openai/{MODELS[kind]}", f"{URL}/v1"), "anthropic": (f"anthropic/{MODELS[kind]}", URL)}[way]

    def ask(messages, **more):
        return litellm.completion(**{"model": model, "api_base": base, "api_key": KEY, "num_retries": 0, "max_tokens": 50, "messages": messages, **more})

    user = lambda content: [{"role": "user", "content": content}]
    said = lambda answer: answer.choices[0].message.content
    parts = lambda prompt: [{"type": "text", "text": prompt}, {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG_TEXT}"}}]
    case(at("image"), lambda prompt: said(ask([{"role": "system", "content": LONG}, *user(parts(prompt))])))
    case(at("empty"), lambda prompt: said(ask([*user(prompt), {"role": "assistant", "content": ""}, *user("")])))

    def tools(prompt):
        asked = ask(user(prompt), tools=[TOOL]).choices[0].message
        calls = asked.tool_calls or []
        answers = [
            {"role": "tool", "tool_call_id": call.id, "content": f"sunny in {json.loads(call.function.arguments)['city']}"} for call in calls
        ]
        return {"text": said(ask([*user(prompt), asked.model_dump(), *answers], tools=[TOOL])), "calls": len(calls)}

    case(at("parallel tools"), tools)
    case(at("settings"), lambda prompt: said(ask(user(prompt), temperature=0.2, top_p=0.9, stop=["END"], user="ann")))
    form = {"type": "json_schema", "json_schema": {"name": "place", "schema": SCHEMA, "strict": True}}
    case(at("as json"), lambda prompt: json.loads(said(ask(user(prompt), response_format=form)))["city"])

    def abort(prompt):
        for part in (answer := ask(user(prompt), stream=True)):
            if part.choices[0].delta.content:
                closing = getattr(answer.completion_stream, "close", None) or getattr(getattr(answer.completion_stream, "response", None), "close", None)
                return "left" if closing is None else "closed"

    case(at("abort"), abort)
    case(at("retries"), lambda prompt: said(ask(user(prompt), num_retries=1)))


def addresses():
    for written, base in {"with a slash": f"{URL}/v1/", "without v1": URL, "with v1 twice": f"{URL}/v1/v1"}.items():
        case(f"openai {written}", lambda prompt: openai.OpenAI(base_url=base, api_key=KEY, max_retries=0).chat.completions.create(
            model="gpt-client", messages=[{"role": "user", "content": prompt}]).choices[0].message.content)
        case(f"litellm {written}", lambda prompt: litellm.completion(
            model="openai/gpt-client", api_base=base, api_key=KEY, num_retries=0, messages=[{"role": "user", "content": prompt}]).choices[0].message.content)


for kind in MODELS:
    for way in ("chat", "responses", "messages"):
        with_pydantic(way, kind)
    for way in ("openai", "anthropic"):
        with_litellm(way, kind)
addresses()
print(json.dumps(results))
