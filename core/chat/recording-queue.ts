/** Records the beginning of a streamed answer for the evaluator. */

import { AsyncQueue } from '#core/kernel/async-queue.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { TextSlot } from '#core/models/dialects/dialect.ts';

/** Joins the texts of an answer, except those for the model's tools. */
export const answerOf = (slots: readonly TextSlot[]): string =>
  slots.flatMap(({ kind, text, echo }) => (echo || (kind !== 'text' && kind !== 'refusal') ? [] : [text])).join('');

/** Queue of events that keeps the beginning of the text that passes. */
export class RecordingQueue extends AsyncQueue<JsonObject> {
  readonly #most: number;
  readonly #textsOf: (event: JsonObject) => readonly TextSlot[];
  #text = '';

  /** @param most characters to keep; one more is kept to show that the text was cut. */
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
