/** Answer to one call. Streams are sent while the model responds; other answers once the call has been recorded. */
import { AsyncQueue } from '#core/kernel/async-queue.ts';
import type { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { TextSlot } from '#core/models/dialects/dialect.ts';
import type { AnswerReceiver, ChatReply } from './answering.ts';
import type { ChatCall } from './call.ts';
import type { EndedCall, KnownCall } from './call-stages.ts';
import { headersOfCall } from './known-facts.ts';
import { RecordedFailure } from './recorded-failure.ts';

/** Joins the text of an answer, excluding text meant for the model's tools. */
const answerOf = (slots: readonly TextSlot[]): string =>
  slots.flatMap(({ kind, text, echo }) => (echo || (kind !== 'text' && kind !== 'refusal') ? [] : [text])).join('');

/** Queue of events that keeps the beginning of the text passing through. */
class RecordingQueue extends AsyncQueue<JsonObject> {
  readonly #most: number;
  readonly #textsOf: (event: JsonObject) => readonly TextSlot[];
  #text = '';

  /** @param most number of characters to keep; one more is kept to show that the text was truncated. */
  constructor(textsOf: (event: JsonObject) => readonly TextSlot[], most: number) {
    super();
    this.#textsOf = textsOf;
    this.#most = most;
  }

  get text(): string {
    return this.#text;
  }

  override write(event: JsonObject): Promise<void> | undefined {
    if (this.#text.length <= this.#most)
      this.#text = (this.#text + answerOf(this.#textsOf(event))).slice(0, this.#most + 1);
    return super.write(event);
  }
}

export type Reply = (reply: Pick<ChatReply, 'status' | 'headers' | 'body'>) => void;

type CompleteAnswer =
  | { readonly status: number; readonly json: JsonObject }
  | { readonly status: number; readonly events: readonly JsonObject[] };

export class HeldAnswer implements AnswerReceiver {
  readonly #wire: ChatCall['wire'];
  readonly #reply: Reply;
  /** Number of characters of the answer sent to the evaluator; undefined for a call that is not evaluated. */
  readonly #sampled: number | undefined;
  #queue: AsyncQueue<JsonObject> | undefined;
  #whole: CompleteAnswer | undefined;

  constructor(wire: ChatCall['wire'], sampled: number | undefined, reply: Reply) {
    this.#wire = wire;
    this.#sampled = sampled;
    this.#reply = reply;
  }

  /** True once the caller has received the status line. */
  get streamed(): boolean {
    return this.#queue !== undefined;
  }

  stream(known: KnownCall): AsyncQueue<JsonObject> {
    this.#queue ??= this.#begun(known);
    return this.#queue;
  }

  #begun(known: KnownCall): AsyncQueue<JsonObject> {
    const queue =
      this.#sampled === undefined
        ? new AsyncQueue<JsonObject>()
        : new RecordingQueue((event) => this.#wire.eventTexts(event), 2 * this.#sampled + 8_192);
    this.#reply({ status: 200, headers: headersOfCall(known), body: queue });
    return queue;
  }

  json(status: number, json: JsonObject): void {
    this.#whole = { status, json };
  }

  events(status: number, events: readonly JsonObject[]): void {
    this.#whole = { status, events };
  }

  /** Releases the answer to the caller. @throws RecordedFailure instead if the answer has not begun. */
  release({ known, ending }: EndedCall, fault: GatewayError | undefined): void {
    const queue = this.#queue;
    if (queue) {
      if (fault) void queue.write(this.#wire.errorEvent(fault));
      queue.end();
      return;
    }
    const headers = headersOfCall(known, ending);
    if (fault) throw new RecordedFailure(fault, headers);
    const whole = this.#whole;
    if (whole)
      this.#reply({ status: whole.status, headers, body: 'json' in whole ? whole.json : eachOf(whole.events) });
  }

  /** Text of the answer, up to the evaluator's limit. */
  get text(): string {
    if (this.#queue instanceof RecordingQueue) return this.#queue.text;
    return answerOf(this.#whole && 'json' in this.#whole ? this.#wire.replyTexts(this.#whole.json) : []);
  }
}

async function* eachOf(events: readonly JsonObject[]): AsyncGenerator<JsonObject> {
  yield* events;
}
