/** Verifies a tenant's chains in pieces: selects the next sessions and combines their verdicts. */
import type { UnreadKind, Verification } from '#core/contracts/evidence.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import type { GatewayPorts } from './ports.ts';

/**
 * Phases of verification: sessions with checkpoints come first, even if they are no longer in the tables, followed by
 * the others.
 */
type AuditPhase = 'checkpointed' | 'others';

export async function nextSessions(
  { checkpoints, evidence }: Pick<GatewayPorts, 'checkpoints' | 'evidence'>,
  tenant: string,
  limit: number,
  given: string | undefined,
) {
  const { part, cursor } = positionOf(given);
  const sessions: string[] = [];
  if (part === 'checkpointed' && checkpoints) {
    const page = await checkpoints.sessions(tenant, { limit, ...cursor });
    if (page.cursor !== undefined) return { sessions: page.items, cursor: `checkpointed.${page.cursor}` };
    sessions.push(...page.items);
  }
  const from = part === 'others' ? cursor : {};
  const page = await evidence.sessions(tenant, { limit, ...from });
  for (const { session_id } of page.items) {
    if (!(await checkpoints?.last(tenant, session_id))) sessions.push(session_id);
  }
  return { sessions, ...(page.cursor !== undefined && { cursor: `others.${page.cursor}` }) };
}

function positionOf(given: string | undefined): {
  readonly part: AuditPhase;
  readonly cursor: { readonly cursor?: string };
} {
  if (given === undefined) return { part: 'checkpointed', cursor: {} };
  const dot = given.indexOf('.');
  const [part, cursor] = [given.slice(0, dot), given.slice(dot + 1)];
  if (part !== 'checkpointed' && part !== 'others')
    throw invalidRequest('cursor does not belong to this list; use the cursor of its last page, or none to begin.');
  return { part, cursor: cursor === '' ? {} : { cursor } };
}

/** Maximum number of findings listed per piece. Additional ones are only counted. */
const maxSentences = 20;

export class AuditSummary {
  #sessions = 0;
  #entries = 0;
  #broken: { readonly session_id: string; readonly index: number; readonly reason: string } | undefined;
  readonly #unread = new Set<UnreadKind>();
  readonly #notChecked = new Map<string, string[]>();

  get broken(): boolean {
    return this.#broken !== undefined;
  }

  add(session_id: string, { total_entries, broken_link, not_checked, unread = [] }: Verification): void {
    this.#sessions++;
    this.#entries += total_entries;
    if (broken_link) this.#broken = { session_id, ...broken_link };
    for (const kind of unread) this.#unread.add(kind);
    for (const said of not_checked) this.#notChecked.set(said, [...(this.#notChecked.get(said) ?? []), session_id]);
  }

  body(cursor: string | undefined) {
    const more = !this.#broken && cursor !== undefined && { cursor };
    return {
      valid: !this.#broken,
      total_entries: this.#entries,
      sessions: this.#sessions,
      ...(this.#broken && { broken_link: this.#broken }),
      ...(this.#unread.size > 0 && { unread: [...this.#unread] }),
      not_checked: this.#sentences(),
      complete: !more,
      ...more,
    };
  }

  #sentences(): string[] {
    const all = [...this.#notChecked].map(([said, [first, ...others]]) =>
      others.length === 0 ? `${said} (session ${first})` : `${said} (${others.length + 1} sessions)`,
    );
    const left = all.length - maxSentences;
    return left > 0 ? [...all.slice(0, maxSentences), `and ${left} more`] : all;
  }
}
