/** Filter findings and the resulting verdict, which is determined by the strictest action. */
import type { Finding } from '#core/contracts/chat.ts';
import type { Verdict } from './ports.ts';

export type Phase = Finding['phase'];

/** Filter as identified in findings. */
export type FilterName = Pick<Finding, 'action'> & {
  readonly name: string;
  readonly type: Exclude<Finding['type'], 'tool_guard'>;
};

/** Actions from most lenient to strictest. `redact` changes the text and lets it pass. */
const strictness = ['log', 'redact', 'warn', 'review', 'block'] as const;

/** Maximum length of a reason that a filter provides. */
const detailCharacters = 500;

/** Contents of a tally, as sent by a worker. */
export interface TallyPart {
  readonly counts: readonly number[];
  readonly details: readonly (readonly string[])[];
  readonly erred: readonly ('block' | 'log' | null)[];
}

/** Collector for the findings of one check or one stream. */
export class Tally {
  readonly #filters: readonly FilterName[];
  readonly #phase: Phase;
  readonly #lenient: boolean;
  readonly #counts: number[];
  /** Absent for a filter without details. */
  readonly #details: (Set<string> | undefined)[];
  readonly #erred: ('block' | 'log' | undefined)[];

  /** @param lenient if true, a failing filter is logged and the text passes (permissive mode, break-glass). */
  constructor(filters: readonly FilterName[], phase: Phase, lenient: boolean) {
    this.#filters = filters;
    this.#phase = phase;
    this.#lenient = lenient;
    this.#counts = filters.map(() => 0);
    this.#details = filters.map(() => undefined);
    this.#erred = filters.map(() => undefined);
  }

  found(filter: number, count: number, details: readonly string[] = []): void {
    this.#counts[filter]! += count;
    if (details.length === 0) return;
    this.#details[filter] ??= new Set();
    for (const detail of details) this.#details[filter].add(detail);
  }

  /**
   * Records that a filter failed. The failure blocks unless the filter's configuration or the mode lets the text pass.
   */
  erred(filter: number, onError: 'block' | 'allow' = 'block'): void {
    const action = onError === 'allow' || this.#lenient ? 'log' : 'block';
    if (this.#erred[filter] !== 'block') this.#erred[filter] = action;
  }

  part(): TallyPart {
    return {
      counts: this.#counts,
      details: this.#details.map((details) => [...(details ?? [])]),
      erred: this.#erred.map((erred) => erred ?? null),
    };
  }

  /** Adds findings that a worker produced with the same filters, except WASM filters, which come last. */
  add({ counts, details, erred }: TallyPart): void {
    counts.forEach((count, filter) => {
      this.found(filter, count, details[filter]);
      const action = erred[filter];
      if (action) this.erred(filter, action === 'log' ? 'allow' : 'block');
    });
  }

  /** Adds another scan's findings only for filters that have none yet, so that a match is not counted twice. */
  addNew({ counts, details, erred }: TallyPart): void {
    const isNew = (filter: number) => !this.hasFound(filter);
    this.add({
      counts: counts.map((count, filter) => (isNew(filter) ? count : 0)),
      details: details.map((known, filter) => (isNew(filter) ? known : [])),
      erred,
    });
  }

  hasErred(filter: number): boolean {
    return this.#erred[filter] !== undefined;
  }

  hasFound(filter: number): boolean {
    return this.#counts[filter]! > 0;
  }

  /**
   * Returns the action of a filter that has findings. After the model has responded, a review cannot suspend the call.
   */
  actionOf(filter: number): Finding['action'] {
    const { action } = this.#filters[filter]!;
    return action === 'review' && this.#phase === 'output' ? 'block' : action;
  }

  get blocked(): boolean {
    return this.#filters.some(
      (_, i) => this.#erred[i] === 'block' || (this.#counts[i]! > 0 && this.actionOf(i) === 'block'),
    );
  }

  verdict(): Verdict {
    const findings = this.#filters.flatMap((filter, i) => this.#findingsOf(filter, i));
    const strictest = findings.reduce<Finding | undefined>(
      (worst, finding) => (worst && rank(worst) >= rank(finding) ? worst : finding),
      undefined,
    );
    if (strictest?.action !== 'block' && strictest?.action !== 'review') return { decision: 'allow', findings };
    return { decision: strictest.action, matched_rule: `content:${strictest.policy}`, findings };
  }

  /**
   * Returns a filter's finding. A match takes precedence over an error, unless the error blocks and the match does not.
   */
  #findingsOf({ name, type }: FilterName, filter: number): readonly Finding[] {
    const count = this.#counts[filter]!;
    const erred = this.#erred[filter];
    if (count === 0 && !erred) return none;
    const base = { policy: name, type, phase: this.#phase, count };
    const action = this.actionOf(filter);
    if (erred && (count === 0 || (erred === 'block' && action !== 'block')))
      return [{ ...base, action: erred, erred: true }];
    const detail = [...(this.#details[filter] ?? [])].join(', ');
    return [
      {
        ...base,
        action,
        ...(detail !== '' && { detail: shortenDetail(detail) }),
        ...(erred !== undefined && { erred: true }),
      },
    ];
  }
}

/** Result of a filter that found nothing. */
const none: readonly Finding[] = [];

const rank = ({ action }: Finding): number => strictness.indexOf(action);

const shortenDetail = (text: string): string => text.slice(0, detailCharacters).replace(/[\ud800-\udbff]$/, '');
