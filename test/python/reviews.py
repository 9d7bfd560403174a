"""What developers see of a review through each Python library; prints it as JSON by `<way>: <fate>`.

Environment: GATEWAY_URL, GATEWAY_KEY; FATES (approve, deny, leave), WAYS (a part of their names), ASK_AGAIN (until it is decided).
"""

import concurrent.futures
import json
import os
import time

import anthropic
import litellm
import openai
from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

litellm.suppress_debug_info = True
URL = os.environ["GATEWAY_URL"]
KEY = os.environ["GATEWAY_KEY"]
MODEL = "gpt-client"
HEADERS = {"x-session-id": "reviews"}

to_openai = openai.OpenAI(base_url=f"{URL}/v1", api_key=KEY, default_headers=HEADERS)
to_anthropic = anthropic.Anthropic(base_url=URL, api_key=KEY, default_headers=HEADERS)


def user(prompt):
    return [{"role": "user", "content": prompt}]


def openai_whole(prompt):
    return to_openai.chat.completions.create(model=MODEL, messages=user(prompt)).choices[0].message.content


def openai_streamed(prompt):
    chunks = to_openai.chat.completions.create(model=MODEL, messages=user(prompt), stream=True)
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


def responses_whole(prompt):
    return to_openai.responses.create(model=MODEL, input=prompt).output_text


def responses_streamed(prompt):
    events = to_openai.responses.create(model=MODEL, input=prompt, stream=True)
    return "".join(event.delta for event in events if event.type == "response.output_text.delta")


def anthropic_whole(prompt):
    return to_anthropic.messages.create(model=MODEL, max_tokens=99, messages=user(prompt)).content[0].text


def anthropic_streamed(prompt):
    with to_anthropic.messages.stream(model=MODEL, max_tokens=99, messages=user(prompt)) as stream:
        return stream.get_final_text()


def pydantic_models():
    """Fresh clients: an agent's loop ends with its run."""
    ours = openai.AsyncOpenAI(base_url=f"{URL}/v1", api_key=KEY, default_headers=HEADERS)
    theirs = anthropic.AsyncAnthropic(base_url=URL, api_key=KEY, default_headers=HEADERS)
    return {
        "chat": OpenAIChatModel(MODEL, provider=OpenAIProvider(openai_client=ours)),
        "responses": OpenAIResponsesModel(MODEL, provider=OpenAIProvider(openai_client=ours)),
        "messages": AnthropicModel(MODEL, provider=AnthropicProvider(anthropic_client=theirs)),
    }


def pydantic_whole(kind):
    return lambda prompt: Agent(pydantic_models()[kind]).run_sync(prompt).output


def pydantic_streamed(kind):
    def ask(prompt):
        import asyncio

        async def run():
            async with Agent(pydantic_models()[kind]).run_stream(prompt) as result:
                return await result.get_output()

        return asyncio.run(run())

    return ask


ROUTES = {"openai": (f"openai/{MODEL}", f"{URL}/v1"), "anthropic": (f"anthropic/{MODEL}", URL)}


def litellm_call(kind, prompt, **more):
    model, base = ROUTES[kind]
    return litellm.completion(
        model=model, api_base=base, api_key=KEY, max_tokens=99, messages=user(prompt), extra_headers=HEADERS, **more
    )


def litellm_whole(kind):
    return lambda prompt: litellm_call(kind, prompt).choices[0].message.content


def litellm_streamed(kind):
    return lambda prompt: "".join(part.choices[0].delta.content or "" for part in litellm_call(kind, prompt, stream=True))


WAYS = {
    "openai": openai_whole,
    "openai, streamed": openai_streamed,
    "openai responses": responses_whole,
    "openai responses, streamed": responses_streamed,
    "anthropic": anthropic_whole,
    "anthropic, streamed": anthropic_streamed,
    **{f"pydantic-ai {kind}": pydantic_whole(kind) for kind in ("chat", "responses", "messages")},
    **{f"pydantic-ai {kind}, streamed": pydantic_streamed(kind) for kind in ("chat", "responses", "messages")},
    **{f"litellm {kind}": litellm_whole(kind) for kind in ROUTES},
    **{f"litellm {kind}, streamed": litellm_streamed(kind) for kind in ROUTES},
}


def attempt(ask, prompt):
    try:
        return {"text": ask(prompt)}
    except Exception as error:  # the class differs from library to library
        return {"message": str(error), "class": type(error).__name__}


def is_waiting(now):
    return "pending_approval" in now.get("message", "") or "needs approval" in now.get("message", "")


def outcome(way, fate):
    prompt = f"launch the rocket ({way}), {fate} this"
    first = after = attempt(WAYS[way], prompt)
    while os.environ.get("ASK_AGAIN") == "true" and fate != "leave" and is_waiting(after):
        time.sleep(0.5)
        after = attempt(WAYS[way], prompt)
    return {"first": first, "after": after}


cases = [(way, fate) for way in WAYS if os.environ.get("WAYS", "") in way for fate in os.environ["FATES"].split(",")]
with concurrent.futures.ThreadPoolExecutor(max_workers=len(cases)) as pool:
    futures = {f"{way}: {fate}": pool.submit(outcome, way, fate) for way, fate in cases}
    print(json.dumps({name: future.result() for name, future in futures.items()}))
