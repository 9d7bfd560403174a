/** Pending requests, kept on every page for the list on the approvals page and the count in the tab title. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { AnswerOf } from '#core/operations/endpoints.ts';
import type { Api } from '../api.ts';
import { type LiveAnswer, useLive } from '../live.ts';
import { useApprovalEvents } from './events.ts';

type Pending = AnswerOf<'listApprovals'>;

/** Page size of an API response. */
const onePage = 200;
/**
 * Maximum number of pages. For more requests, use the command line: a browser with all of them would react to keys too
 * slowly.
 */
const maxPages = 10;
/** The list is requested at each event, and at this interval if there are no events. */
const withEventsMs = 30_000;
const otherPageMs = 15_000;
const listPageMs = 2_000;

export interface PendingList extends LiveAnswer<Pending> {
  /** Requests the next page too; undefined if there is none, or if too many items are already shown. */
  readonly more: (() => void) | undefined;
}

/** @param wanted whether the key may list approvals. */
export function usePending(api: Api, wanted: boolean, listShown: boolean): PendingList {
  const pages = useRef(1);
  const ask = useCallback(
    async (signal: AbortSignal) =>
      wanted ? { ...(await fetchPending(api, pages.current, signal)), at: Date.now() } : nonePending(),
    [api, wanted],
  );
  const [open, setOpen] = useState(false);
  const live = useLive(ask, open ? withEventsMs : listShown ? listPageMs : otherPageMs);
  const { refresh } = live;
  const connected = useApprovalEvents(api, wanted, refresh);
  useEffect(() => {
    setOpen(connected);
    if (!connected) refresh();
  }, [connected, refresh]);
  const now = useSecond(wanted && open && listShown);
  const more = () => {
    pages.current++;
    refresh();
  };
  const isMore = live.value?.cursor !== undefined && pages.current < maxPages;
  return { ...live, value: live.value && remainingAt(live.value, now), more: isMore ? more : undefined };
}

async function fetchPending(api: Api, pages: number, signal: AbortSignal): Promise<Pending> {
  const found = new Map<string, Pending['pending'][number]>();
  let cursor: string | undefined;
  for (let page = 0; page < pages; page++) {
    const from = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await api.get<'listApprovals'>(`approvals?limit=${onePage}${from}`, signal);
    for (const item of answer.pending) found.set(item.envelope_id, item);
    ({ cursor } = answer);
    if (cursor === undefined) break;
  }
  return { pending: [...found.values()], ...(cursor !== undefined && { cursor }) };
}

const nonePending = (): Pending & { readonly at: number } => ({ pending: [], at: 0 });

/** Reduces the remaining time of each request by the time since the response, and drops expired requests. */
function remainingAt({ at, ...answer }: Pending & { readonly at: number }, now: number): Pending {
  const passed = Math.max(0, Math.floor((now - at) / 1000));
  if (passed === 0) return answer;
  const pending = answer.pending
    .map((item) => ({ ...item, expires_in_seconds: Math.max(0, (item.expires_in_seconds ?? 0) - passed) }))
    .filter(({ expires_in_seconds }) => expires_in_seconds > 0);
  return { ...answer, pending };
}

/** Returns the time, updated each second while it is needed. */
function useSecond(wanted: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!wanted) return;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [wanted]);
  return wanted ? now : 0;
}

/**
 * Returns the number of pending requests: `3`, or `200+` if there are more than the list contains; undefined if there
 * are none.
 */
export function countOf(answer: Pending | undefined): string | undefined {
  const count = answer?.pending.length ?? 0;
  return count === 0 ? undefined : `${count}${answer?.cursor === undefined ? '' : '+'}`;
}
