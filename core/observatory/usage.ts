/** Counters summed up for people (spec §4.3 usage; violations by rule). */
import { invalidRequest } from '#core/kernel/errors.ts';
import type { Usage, UsageQuery } from './ports.ts';
import { type Counter, decisionKinds } from './project.ts';

export interface Counted extends Counter {
  readonly count: number;
}

/** Maps, not objects: a tool may be called `constructor`. */
export class UsageSums {
  readonly #decisions = new Map<string, number>();
  readonly #protocols = new Map<string, number>();
  readonly #tools = new Map<string, number>();
  readonly #rules = new Map<string, number>();
  readonly #pairs = new Map<string, { decision: string; protocol: string; count: number }>();
  #total = 0;

  add({ kind, protocol, tool, rule, count }: Counted): void {
    if (!decisionKinds.includes(kind)) return;
    this.#total += count;
    raise(this.#decisions, kind, count);
    raise(this.#protocols, protocol, count);
    raise(this.#tools, tool, count);
    raise(this.#rules, rule, count);
    const pair = `${kind}#${protocol}`;
    const known = this.#pairs.get(pair)?.count ?? 0;
    this.#pairs.set(pair, { decision: kind, protocol: protocol ?? '', count: known + count });
  }

  of(tenant: string, query: UsageQuery): Usage {
    return {
      tenant,
      ...query,
      total: this.#total,
      decisions: Object.fromEntries(this.#decisions),
      protocols: Object.fromEntries(this.#protocols),
      tools: Object.fromEntries(this.#tools),
      decisions_by_protocol: [...this.#pairs.values()],
      blocked_by_rule: Object.fromEntries(this.#rules),
    };
  }
}

function raise(sums: Map<string, number>, name: string | undefined, by: number): void {
  if (name !== undefined) sums.set(name, (sums.get(name) ?? 0) + by);
}

/**
 * First and last hour of a query, as `YYYY-MM-DDTHH`, both included.
 * @throws GatewayError `invalid_request` for what is no time, or a range that ends before it begins.
 */
export function hoursOf({ from, to }: UsageQuery): { first: string; last: string } {
  const first = from === undefined ? '0000' : hourOf('from', from);
  const last = to === undefined ? '9999' : hourOf('to', to);
  if (first > last) throw invalidRequest('from lies after to; give the earlier time as from.');
  return { first, last };
}

function hourOf(name: string, text: string): string {
  const time = Date.parse(text);
  const iso = Number.isNaN(time) ? '' : new Date(time).toISOString();
  if (/^\d{4}-/.test(iso)) return iso.slice(0, 13);
  throw invalidRequest(`${name} is ${JSON.stringify(text)}; it takes an ISO 8601 time such as 2026-01-31T08:00:00Z.`);
}
