/** The filters of one phase, in the order of their kinds: keyword, regex, PII, WASM (spec §1 stages 4 and 6). */
import type { ContentFilter } from '#core/contracts/config.ts';
import { type Named, type Phase, Tally } from './findings.ts';
import { type KeywordFilter, Keywords } from './keywords.ts';
import { PersonalData, type PiiFilter } from './personal-data.ts';
import type { ContentContext, Scanned, Verdict, WasmRunner } from './ports.ts';
import { readingOf } from './reading.ts';
import { Regexes, type RegexFilter } from './regexes.ts';
import { type WasmFilter, WasmFilters } from './wasm-filters.ts';

const kinds = ['keyword', 'regex', 'pii', 'wasm'] as const;
export type Kind = (typeof kinds)[number];

export class Filters {
  readonly phase: Phase;
  readonly idle: boolean;
  readonly keywords: Keywords;
  readonly regexes: Regexes;
  readonly personalData: PersonalData;
  readonly wasm: WasmFilters;
  readonly #named: readonly Named[];
  readonly #lenient: boolean;

  /** @param lenient an erring filter is logged and passes. */
  constructor(configured: readonly ContentFilter[], phase: Phase, lenient: boolean, runner: WasmRunner) {
    const filters = kinds.flatMap((kind) => configured.filter(({ type }) => type === kind));
    const of = <F extends ContentFilter>(kind: F['type']): { index: number; filter: F }[] =>
      filters.flatMap((filter, index) => (filter.type === kind ? [{ index, filter: filter as F }] : []));
    this.phase = phase;
    this.idle = filters.length === 0;
    this.#named = filters;
    this.#lenient = lenient;
    this.keywords = new Keywords(of<KeywordFilter>('keyword'));
    this.regexes = new Regexes(of<RegexFilter>('regex'));
    this.personalData = new PersonalData(of<PiiFilter>('pii'));
    this.wasm = new WasmFilters(of<WasmFilter>('wasm'), runner, phase);
  }

  tally(): Tally {
    return new Tally(this.#named, this.phase, this.#lenient);
  }

  /** All filters look, whatever an earlier one found. Never throws; texts are redacted in place. */
  async check(texts: readonly Scanned[], context: ContentContext): Promise<Verdict> {
    const tally = this.tally();
    const written = texts.filter(({ text }) => text !== '').map((slot) => ({ slot, raw: slot.text }));
    const asked = this.wasm.check(written.map(({ raw }) => raw).join('\n'), context, tally);
    for (const { slot, raw } of written) this.#checkText(slot, raw, tally);
    await asked;
    return tally.verdict();
  }

  #checkText(slot: Scanned, raw: string, tally: Tally): void {
    const reading = this.guarded(tally, kinds, () => readingOf(raw));
    if (!reading) return;
    this.guarded(tally, ['keyword'], () => this.keywords.check(reading, tally));
    this.guarded(tally, ['regex'], () => this.regexes.check(raw, reading, tally));
    this.guarded(tally, ['pii'], () => {
      const text = this.personalData.check(raw, reading, tally);
      if (text !== raw) slot.set(text);
    });
  }

  /** Our own faults fail closed: every filter of the kind has erred. */
  guarded<T>(tally: Tally, of: readonly Kind[], work: () => T): T | undefined {
    try {
      return work();
    } catch {
      this.#named.forEach(({ type }, index) => {
        if (of.includes(type)) tally.erred(index);
      });
      return undefined;
    }
  }
}
