/** `policy.check_output` for complete replies and streams, followed by the response transforms. */

import type { JsonObject } from '#core/kernel/json.ts';
import type { ContentContext, ContentPolicy, StreamScan, Verdict } from '#core/models/content-policy/ports.ts';
import type { TextSlot } from '#core/models/dialects/dialect.ts';
import type { ChatCall } from '../call.ts';
import type { CheckedCall, KnownCall } from '../call-stages.ts';
import type { ChatPorts } from '../ports.ts';
import { type Rewriter, rewriting } from '../rewrite.ts';
import { StageFailure } from '../stage-failure.ts';
import { blockFailure, clean, countFindings, verdictAttributes } from './input-policy.ts';

const contextOf = ({ tenant, resolvedModel }: ChatCall, provider = ''): ContentContext => ({
  tenant_id: tenant.id,
  model: resolvedModel,
  provider,
});

/**
 * Checks a complete reply and changes it in place.
 * @param given text slots of the reply; by default those of its dialect.
 * @throws GatewayError `policy_violation`.
 */
export async function checkReply<Before extends KnownCall>(
  ports: ChatPorts,
  known: Before,
  policy: ContentPolicy,
  reply: JsonObject,
  given?: readonly TextSlot[],
): Promise<CheckedCall<Before>> {
  const { call, provider } = known;
  try {
    const texts = given ?? call.wire.replyTexts(reply);
    // The trace shows the stage even if no filter checks replies [trace.routes].
    const verdict = await ports.telemetry.leafSpan('policy.check_output', {}, async (span) => {
      const found = policy.outputIdle ? clean : await policy.checkOutput(texts, contextOf(call, provider));
      span.set(verdictAttributes(found));
      return found;
    });
    countFindings(ports, verdict);
    const after = { ...known, outputVerdict: verdict };
    if (verdict.decision !== 'allow') throw blockFailure(after, verdict);
    rewriteTexts(call, texts);
    return after;
  } catch (thrown) {
    // The model has already responded, so an unexpected error is recorded together with the cost.
    throw StageFailure.of(thrown, known);
  }
}

/** Applies the response transforms to the running text of a complete reply. */
export function rewriteTexts(call: ChatCall, texts: readonly TextSlot[]): void {
  const rewrite = rewriting(call.snapshot.configuration, call.tenant);
  if (!rewrite) return;
  for (const slot of texts.filter(({ kind }) => kind === 'text')) {
    const run = rewrite();
    slot.set(run.push(slot.text) + run.end());
  }
}

/** Gate that checks the events of a stream and determines which of them may be sent, and when. */
export interface StreamGate {
  /** Returns the events to send for this event, or none once the verdict is a block. */
  pass(event: JsonObject): JsonObject[] | Promise<JsonObject[]>;
  /** Returns the events that were still held when the source ended. */
  end(): JsonObject[] | Promise<JsonObject[]>;
  verdict(): Verdict;
}

/** Reports the findings in a finished stream as findings of its stage. */
export function reportStream(ports: ChatPorts, verdict: Verdict): void {
  void ports.telemetry.span('policy.check_output', verdictAttributes(verdict), async () => {});
  countFindings(ports, verdict);
}

/** Returns undefined if neither filters nor transforms apply to replies. */
export function streamGate(call: ChatCall, policy: ContentPolicy, provider: string): StreamGate | undefined {
  const rewrite = rewriting(call.snapshot.configuration, call.tenant);
  if (policy.outputIdle && !rewrite) return undefined;
  return new Gate(call, policy.outputIdle ? undefined : policy.streamOutput(contextOf(call, provider)), rewrite);
}

class Gate implements StreamGate {
  readonly #call: ChatCall;
  readonly #scan: StreamScan | undefined;
  readonly #rewrite: (() => Rewriter) | undefined;
  readonly #rewriters = new Map<string, Rewriter>();
  /** Last text event of each channel, used as the template for sending held text. */
  readonly #likes = new Map<string, JsonObject>();
  readonly #echoes = new Set<string>();

  constructor(call: ChatCall, scan: StreamScan | undefined, rewrite: (() => Rewriter) | undefined) {
    this.#call = call;
    this.#scan = scan;
    this.#rewrite = rewrite;
  }

  verdict(): Verdict {
    return this.#scan?.verdict() ?? clean;
  }

  pass(event: JsonObject): JsonObject[] | Promise<JsonObject[]> {
    const slots = this.#call.wire.eventTexts(event);
    const ended = this.#call.wire.endedChannels(event);
    if (slots.length === 0 && ended === undefined) return [event];
    return this.#filtered(event, slots, ended);
  }

  async end(): Promise<JsonObject[]> {
    for (const channel of this.#echoes) await this.#endEcho(channel);
    return this.#flushed([...this.#likes.keys()]);
  }

  async #filtered(
    event: JsonObject,
    slots: readonly TextSlot[],
    ended: readonly string[] | 'all' | undefined,
  ): Promise<JsonObject[]> {
    let spoke = false;
    let said = '';
    for (const slot of slots) {
      const { channel, text, json } = slot;
      if (slot.echo) {
        this.#echoes.add(channel);
        if (this.#scan && (await this.#scan.push(channel, text)) !== text) slot.set('');
        continue;
      }
      if (text !== '' && !slot.whole) this.#likes.set(channel, event);
      if (slot.whole) {
        const checked = this.#scan
          ? `${await this.#scan.push(channel, text, json)}${await this.#scan.end(channel)}`
          : text;
        if (checked !== text && this.verdict().decision === 'allow') slot.set(checked);
        continue;
      }
      const pushed = this.#scan ? this.#scan.push(channel, text, json) : text;
      const released = typeof pushed === 'string' ? pushed : await pushed;
      const out = this.#rewriter(slot)?.push(released) ?? released;
      spoke ||= text !== '';
      said += out;
      if (out !== text) slot.set(out);
    }
    if (this.verdict().decision !== 'allow') return [];
    // An event whose text is held back entirely is not sent yet.
    const silent = spoke && said === '' && ended === undefined && isBare(event);
    if (ended === undefined) return silent ? [] : [event];
    const isEnded = (channel: string) => ended === 'all' || ended.some((name) => channel.startsWith(name));
    for (const channel of [...this.#echoes].filter(isEnded)) await this.#endEcho(channel);
    const rest = await this.#flushed([...this.#likes.keys()].filter(isEnded));
    if (this.verdict().decision !== 'allow') return [];
    return [...rest, event];
  }

  /** Ends the scan of an echo: a filter may still match, but there is no text left to send. */
  async #endEcho(channel: string): Promise<void> {
    this.#echoes.delete(channel);
    await this.#scan?.end(channel);
  }

  async #flushed(channels: readonly string[]): Promise<JsonObject[]> {
    const events: JsonObject[] = [];
    for (const channel of channels) {
      const like = this.#likes.get(channel);
      if (!like) continue;
      this.#likes.delete(channel);
      const last = this.#scan ? await this.#scan.end(channel) : '';
      const rewriter = this.#rewriters.get(channel);
      const text = rewriter ? rewriter.push(last) + rewriter.end() : last;
      if (text !== '') events.push(this.#call.wire.textEvent(channel, text, like));
    }
    return this.verdict().decision === 'allow' ? events : [];
  }

  #rewriter({ channel, kind }: TextSlot): Rewriter | undefined {
    if (!this.#rewrite || kind !== 'text') return undefined;
    const known = this.#rewriters.get(channel) ?? this.#rewrite();
    this.#rewriters.set(channel, known);
    return known;
  }
}

/** Checks that an event carries only text, so that log probabilities and similar data are not lost with it. */
const isBare = (event: JsonObject): boolean =>
  !Array.isArray(event.choices) ||
  event.choices.every((choice) => {
    const { logprobs, delta } = choice as JsonObject;
    return !logprobs && !(delta as JsonObject | undefined)?.role;
  });
