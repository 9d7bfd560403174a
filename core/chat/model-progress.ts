/**
 * Progress of a provider's response. The stage that calls the provider owns it and updates it as the response arrives.
 */
import type { Usage } from '#core/contracts/chat.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { countOf, objectOf, objectsOf } from '#core/kernel/narrow.ts';
import { chargedMembers } from '#core/limits/surcharges.ts';
import type { Dialect } from '#core/models/dialects/dialect.ts';
import type { Provider } from '#core/models/providers/ports.ts';

export class ModelProgress {
  #counted: Partial<Usage> = {};
  #outputCharacters = 0;
  #finishReason: string | undefined;
  /** Finish reasons by choice index; a reply may have several choices. */
  readonly #finishReasons = new Map<number, string>();
  #firstTokenMs: number | undefined;
  #keptId: string | undefined;
  readonly #models = new Set<string>();
  #served: JsonObject = {};

  /** Tier, speed and region that the provider reports as served and therefore charges for. */
  get served(): JsonObject {
    return this.#served;
  }

  /** Provider's own counts; later ones replace earlier ones. */
  get counted(): Partial<Usage> {
    return this.#counted;
  }

  /** Number of output characters, for providers that report no count. */
  get outputCharacters(): number {
    return this.#outputCharacters;
  }

  get finishReason(): string | undefined {
    return this.#finishReason;
  }

  /** Finish reasons of the ended choices, in order; just one if there is a single answer. */
  get finishReasons(): readonly string[] {
    if (this.#finishReasons.size === 0) return this.#finishReason === undefined ? [] : [this.#finishReason];
    if (this.#finishReasons.size === 1) return [...this.#finishReasons.values()];
    return [...this.#finishReasons].sort(([a], [b]) => a - b).map(([, reason]) => reason);
  }

  /** Checks whether all requested choices have ended. A dialect without choices has a single answer. */
  hasEnded(choices: number): boolean {
    return this.#finishReasons.size === 0 ? this.#finishReason !== undefined : this.#finishReasons.size >= choices;
  }

  /** Milliseconds from the start of the call to the first character of a stream. */
  get firstTokenMs(): number | undefined {
    return this.#firstTokenMs;
  }

  /** Provider's id of the stored response. */
  get keptId(): string | undefined {
    return this.#keptId;
  }

  /** Names of the models named in the reply. */
  get models(): readonly string[] {
    return [...this.#models];
  }

  /** Records a complete reply in the provider's dialect. */
  readReply(native: Dialect, reply: JsonObject): void {
    this.#counted = native.usageOf(reply) ?? {};
    this.readModel(reply);
    this.#served = servedBy(reply);
    this.#readFinish(native, reply);
    this.#count(native.replyTexts(reply));
  }

  /** Records one stream event: uses the provider's token counts, or counts characters if it sends none. */
  readEvent(native: Dialect, event: JsonObject, elapsedMs: () => number): void {
    const counted = native.usageOf(event);
    this.readModel(event);
    if (counted) this.#counted = { ...this.#counted, ...counted };
    this.#served = { ...this.#served, ...servedBy(event) };
    this.#readFinish(native, event);
    this.#count(native.eventTexts(event));
    if (this.#firstTokenMs === undefined && this.#outputCharacters > 0) this.#firstTokenMs = Math.max(0, elapsedMs());
  }

  #readFinish(native: Dialect, message: JsonObject): void {
    this.#finishReason = native.finishReason(message) ?? this.#finishReason;
    for (const [position, { index, finish_reason }] of objectsOf(message.choices).entries()) {
      const at = countOf(index) ?? position;
      const has = this.#finishReasons.has(at);
      if (typeof finish_reason === 'string' && (has || this.#finishReasons.size < maxChoices))
        this.#finishReasons.set(at, finish_reason);
    }
  }

  #count(texts: ReturnType<Dialect['replyTexts']>): void {
    for (const { text, whole } of texts) if (!whole) this.#outputCharacters += text.length;
  }

  /** Records the model name from a reply, or from an event in either dialect. */
  readModel({ model, message }: JsonObject): void {
    const name = model ?? (message as JsonObject | null | undefined)?.model;
    if (typeof name === 'string' && name !== '' && this.#models.size < maxModels) this.#models.add(name);
  }

  /** Records the response id if the provider stores responses. */
  readKeptId({ keepsResponses }: Pick<Provider, 'keepsResponses'>, { id }: JsonObject): void {
    if (!keepsResponses || this.#keptId !== undefined) return;
    if (typeof id === 'string' && /^[\w.:-]{1,200}$/.test(id)) this.#keptId = id;
  }

  /** Records counts that do not come from a chat. */
  count(counted: Partial<Usage>): void {
    this.#counted = counted;
  }

  /**
   * Assumes that the reserved output was used if the provider sends no count, so that no budget is exceeded unnoticed.
   */
  assumeOutput(tokens: number): void {
    this.#outputCharacters = tokens * charactersOfToken;
  }

  /** Tokens estimated from the characters received so far, for providers that send no counts. */
  get estimatedOutput(): number {
    return Math.ceil(this.#outputCharacters / charactersOfToken);
  }
}

const charactersOfToken = 4;
const maxModels = 8;
/** Maximum number of choices in OpenAI's API. */
const maxChoices = 128;

/** Reads the served values: OpenAI sends them next to the usage, Anthropic within it. */
function servedBy(message: JsonObject): JsonObject {
  const places = [message, objectOf(message.usage), objectOf(objectOf(message.message)?.usage)];
  const served: { [name: string]: string } = {};
  for (const place of places)
    for (const name of chargedMembers) {
      const value = place?.[name];
      if (typeof value === 'string' && value !== '') served[name] = value;
    }
  return served;
}
