/** What a provider has said so far of the call it works on. It grows while the provider answers; the stage that calls the provider owns it. */
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
  /** By the index of their choice, of which a reply may have several. */
  readonly #finishReasons = new Map<number, string>();
  #firstTokenMs: number | undefined;
  #keptId: string | undefined;
  readonly #models = new Set<string>();
  #served: JsonObject = {};

  /** Tier, speed and region that the provider says it served, which are the ones that it charges. */
  get served(): JsonObject {
    return this.#served;
  }

  /** The provider's own counts; later ones replace earlier ones. */
  get counted(): Partial<Usage> {
    return this.#counted;
  }

  /** Characters the model put out, where the provider reports no count. */
  get outputCharacters(): number {
    return this.#outputCharacters;
  }

  get finishReason(): string | undefined {
    return this.#finishReason;
  }

  /** The reason of each choice that has ended, in their order; one if there is a single answer. */
  get finishReasons(): readonly string[] {
    if (this.#finishReasons.size === 0) return this.#finishReason === undefined ? [] : [this.#finishReason];
    return [...this.#finishReasons].sort(([a], [b]) => a - b).map(([, reason]) => reason);
  }

  /** Milliseconds from the start of the call to the first character of a stream. */
  get firstTokenMs(): number | undefined {
    return this.#firstTokenMs;
  }

  /** The provider's id of the response that it keeps. */
  get keptId(): string | undefined {
    return this.#keptId;
  }

  /** Names of models that the reply gave. */
  get models(): readonly string[] {
    return [...this.#models];
  }

  /** A complete reply in the provider's dialect. */
  readReply(native: Dialect, reply: JsonObject): void {
    this.#counted = native.usageOf(reply) ?? {};
    this.readModel(reply);
    this.#served = servedBy(reply);
    this.#readFinish(native, reply);
    this.#count(native.replyTexts(reply));
  }

  /** One event of a stream: counts as the provider gives them, characters for where it gives none. */
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

  /** The name of the model in a reply, or in an event of either dialect. */
  readModel({ model, message }: JsonObject): void {
    const name = model ?? (message as JsonObject | null | undefined)?.model;
    if (typeof name === 'string' && name !== '' && this.#models.size < maxModels) this.#models.add(name);
  }

  /** Of a provider that keeps responses, the id of this one. */
  readKeptId({ keepsResponses }: Pick<Provider, 'keepsResponses'>, { id }: JsonObject): void {
    if (!keepsResponses || this.#keptId !== undefined) return;
    if (typeof id === 'string' && /^[\w.:-]{1,200}$/.test(id)) this.#keptId = id;
  }

  /** Counts that are read otherwise than from a chat. */
  count(counted: Partial<Usage>): void {
    this.#counted = counted;
  }

  /** Without a count, what was reserved is charged: no budget is passed unseen. */
  assumeOutput(tokens: number): void {
    this.#outputCharacters = tokens * charactersOfToken;
  }

  /** Tokens of the characters so far, where no provider counts them. */
  get estimatedOutput(): number {
    return Math.ceil(this.#outputCharacters / charactersOfToken);
  }
}

const charactersOfToken = 4;
const maxModels = 8;
/** OpenAI answers with at most as many. */
const maxChoices = 128;

/** OpenAI names them beside the usage, Anthropic within it. */
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
