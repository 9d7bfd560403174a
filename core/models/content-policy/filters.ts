/** Filters of one phase, ordered by kind: keyword, regex, PII, WASM. */
import type { ContentFilter } from '#core/contracts/config.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { hasSilent } from '#core/text/fold/visible.ts';
import { type FilterName, type Phase, Tally } from './findings.ts';
import { decodedJson, JsonSpelling } from './json-spelling.ts';
import { type KeywordFilter, Keywords } from './keywords.ts';
import { PersonalData, type PiiFilter } from './personal-data.ts';
import type { ContentContext, ScannedText, Verdict, WasmRunner } from './ports.ts';
import { readingOf } from './reading.ts';
import { Regexes, type RegexFilter } from './regexes.ts';
import { checkSilent } from './silent-texts.ts';
import { isLarge, type TextWork, type WrittenText } from './text-work.ts';
import { type WasmFilter, WasmFilters } from './wasm-filters.ts';

/** Maximum number of characters that a match across a boundary may have on either side. */
const boundaryCharacters = 512;

/** Separators used to join parts: none, or a line break. */
const separators = ['', '\n'];

/** Returns the joined texts of each group in order, omitting the middle of long ones. */
function joinedTexts(texts: readonly ScannedText[]): string[] {
  if (texts.length < 2) return [];
  const groups = Map.groupBy(
    texts.filter(({ group, text }) => group !== undefined && text !== ''),
    ({ group }) => group,
  );
  return [...groups.values()].flatMap((group) =>
    group.length < 2 ? [] : separators.map((line) => group.map(ends).join(line)),
  );
}

/** Replaces the middle of a long text, which was scanned separately, with a character that matches no filter. */
function ends({ text: written, json }: ScannedText): string {
  const text = json ? decodedJson(written) : written;
  return text.length <= 2 * boundaryCharacters
    ? text
    : `${text.slice(0, boundaryCharacters)}\uffff${text.slice(-boundaryCharacters)}`;
}

/** Returns the texts as a module reads them: one per line, JSON decoded. */
const readText = (written: readonly WrittenText[]): string =>
  written.map(({ text, json }) => (json ? decodedJson(text) : text)).join('\n');

const kinds = ['keyword', 'regex', 'pii', 'wasm'] as const;
type FilterKind = (typeof kinds)[number];
/** Kinds of filters that scan text character by character. */
const scannedKinds: readonly FilterKind[] = ['keyword', 'regex', 'pii'];

const isPromise = <T>(value: T | Promise<T>): value is Promise<T> => value instanceof Promise;

export class Filters {
  readonly phase: Phase;
  readonly idle: boolean;
  /** True if no filter has to wait for a module or a human decision. */
  readonly quick: boolean;
  readonly keywords: Keywords;
  readonly regexes: Regexes;
  readonly personalData: PersonalData;
  readonly wasm: WasmFilters;
  readonly #named: readonly FilterName[];
  readonly #lenient: boolean;

  readonly #configured: readonly ContentFilter[];
  readonly #work: TextWork | undefined;

  /** @param lenient if true, a failing filter is logged and the text passes. */
  constructor(
    configured: readonly ContentFilter[],
    phase: Phase,
    lenient: boolean,
    { wasm, texts }: { readonly wasm: WasmRunner; readonly texts?: TextWork | undefined },
  ) {
    const filters = kinds.flatMap((kind) => configured.filter(({ type }) => type === kind));
    const of = <F extends ContentFilter>(kind: F['type']): { index: number; filter: F }[] =>
      filters.flatMap((filter, index) => (filter.type === kind ? [{ index, filter: filter as F }] : []));
    this.phase = phase;
    this.idle = filters.length === 0;
    this.quick = filters.every(({ type, action }) => type !== 'wasm' && action !== 'review');
    this.#named = filters;
    this.#lenient = lenient;
    this.keywords = new Keywords(of<KeywordFilter>('keyword'));
    this.regexes = new Regexes(of<RegexFilter>('regex'));
    this.personalData = new PersonalData(of<PiiFilter>('pii'));
    this.wasm = new WasmFilters(of<WasmFilter>('wasm'), wasm, phase);
    this.#configured = configured.filter(({ type }) => type !== 'wasm');
    this.#work = texts;
  }

  tally(): Tally {
    return new Tally(this.#named, this.phase, this.#lenient);
  }

  /** Worker for large texts, if there is one. */
  get work(): TextWork | undefined {
    return this.#work;
  }

  /**
   * Runs all filters, even after a finding, and redacts texts in place.
   * @throws GatewayError only for requests that are too large to scan in time.
   */
  async check(texts: readonly ScannedText[], context: ContentContext): Promise<Verdict> {
    const tally = this.tally();
    const slots = texts.filter(({ text }) => text !== '');
    const written = slots.map(({ text, json }): WrittenText => ({ text, json }));
    const asked = this.wasm.filters.length === 0 ? undefined : this.wasm.check(readText(written), context, tally);
    const looked = this.#checkTexts(written, tally);
    const checked = isPromise(looked) ? (await Promise.all([looked, asked]))[0] : looked;
    for (let at = 0; at < slots.length; at++) {
      const text = checked[at];
      if (text !== undefined && text !== written[at]?.text) this.guarded(tally, ['pii'], () => slots[at]?.set(text));
    }
    const joined = joinedTexts(texts);
    if (joined.length > 0) await this.#checkJoined(joined, tally);
    if (asked) await asked;
    return tally.verdict();
  }

  /**
   * Checks the parts of a message joined in reading order. Personal data that spans several parts cannot be redacted in
   * place, so the filter then counts as failed, which blocks.
   */
  async #checkJoined(joined: readonly string[], tally: Tally): Promise<void> {
    const beside = this.tally();
    const checked = await this.#checkTexts(
      joined.map((text) => ({ text })),
      beside,
    );
    if (checked.some((text, at) => text !== joined[at])) this.#allErred(beside, ['pii']);
    tally.addNew(beside.part());
  }

  /** Checks small texts in the current thread and large ones in a worker, if there is one. */
  #checkTexts(raws: readonly WrittenText[], tally: Tally): readonly string[] | Promise<readonly string[]> {
    if (this.#configured.length === 0) return raws.map(({ text }) => text);
    if (!this.#work || !isLarge(raws)) return raws.map((raw) => this.checkText(raw, tally));
    const job = { filters: this.#configured, phase: this.phase, lenient: this.#lenient, texts: raws };
    return this.#work.check(job).then(
      ({ texts, found }) => {
        tally.add(found);
        return texts;
      },
      (fault: unknown) => {
        if (fault instanceof GatewayError && this.phase === 'input' && !this.#lenient) throw fault;
        this.#allErred(tally, scannedKinds);
        return raws.map(({ text }) => text);
      },
    );
  }

  /** Checks one text with the filters that scan character by character, and redacts it if required. */
  checkText({ text: raw, json }: WrittenText, tally: Tally): string {
    let text = raw;
    const spelling = json ? new JsonSpelling() : undefined;
    const decoded = spelling ? spelling.push(raw) + spelling.end() : raw;
    const reading = this.guarded(tally, kinds, () => readingOf(decoded));
    if (!reading) return raw;
    this.guarded(tally, ['keyword'], () => this.keywords.check(reading, tally));
    this.guarded(tally, ['regex'], () => this.regexes.check(raw, reading, tally));
    if (hasSilent(decoded)) this.guarded(tally, ['keyword', 'regex'], () => checkSilent(this, decoded, tally));
    this.guarded(tally, ['pii'], () => {
      text = this.personalData.check(raw, reading, tally, spelling);
    });
    return text;
  }

  /** Fails closed on gateway faults: every filter of these kinds counts as failed. */
  guarded<T>(tally: Tally, of: readonly FilterKind[], work: () => T): T | undefined {
    try {
      return work();
    } catch {
      this.#allErred(tally, of);
      return undefined;
    }
  }

  #allErred(tally: Tally, of: readonly FilterKind[]): void {
    this.#named.forEach(({ type }, index) => {
      if (of.includes(type)) tally.erred(index);
    });
  }
}
