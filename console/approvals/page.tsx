/** Approvals page: pending requests, oldest first, and the card of one request [console.approvals]. */
import { useCallback, useRef, useState } from 'preact/hooks';
import { countText } from '#core/kernel/count-text.ts';
import { useAddress } from '../address-query.ts';
import { Button } from '../design/button.tsx';
import { Choice, Field, Toolbar } from '../design/field.tsx';
import { Back, Heading } from '../design/layout.tsx';
import { EmptyState, Loaded, Notice } from '../design/states.tsx';
import { useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';
import { hashOf, routeOf } from '../route.ts';
import { mayVote } from '../session.ts';
import { OpenCard } from './card.tsx';
import { listedItems, riskOrAll } from './filters.ts';
import { Help } from './help.tsx';
import { type Item, neighbouringItem, type RiskName, risks, voteObstacle } from './items.ts';
import { PendingRows } from './list.tsx';
import { openRequest } from './open-request.ts';
import { useShortcuts } from './shortcuts.ts';
import { type Verdict, VoteDialog } from './vote-dialog.tsx';

interface Question {
  readonly items: readonly Item[];
  readonly verdict: Verdict;
  /** Running number of the dialog, so that each vote has its own. */
  readonly nth: number;
}

export function ApprovalsPage({ api, me, id, pending: live }: PageProps) {
  const address = useAddress();
  const filter = { text: address.asked('q'), risk: riskOrAll(address.asked('risk')) };
  const pending = live.value?.pending;
  const items = pending && listedItems(pending, filter);
  const [asked, setAsked] = useState<Question | undefined>();
  const questions = useRef(0);
  const [help, setHelp] = useState(false);
  const search = useRef<HTMLInputElement>(null);
  const open = pending?.find(({ envelope_id }) => envelope_id === id);
  // The request on the card, which may not be in the list: the list contains only the first requests.
  const shown = useRef<Item | undefined>();

  const vote = (items: readonly Item[], verdict: Verdict) => setAsked({ items, verdict, nth: ++questions.current });
  // Uses the address, which is more recent than the rendered page when keys are pressed quickly.
  const move = (step: 1 | -1) => {
    const next = items && neighbouringItem(items, routeOf(location.hash).id, step);
    if (next) openRequest(next);
  };
  const voteOnOpen = (verdict: Verdict) => {
    const { current: item } = shown;
    if (item?.status !== 'pending' || item.envelope_id !== routeOf(location.hash).id) return;
    if (mayVote(me) && !voteObstacle(item, me)) vote([item], verdict);
  };
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    a: () => voteOnOpen('approve'),
    d: () => voteOnOpen('deny'),
    '/': () => search.current?.focus(),
    '?': () => setHelp(true),
  });
  const query = location.hash.includes('?') ? `?${location.hash.split('?')[1]}` : '';

  return (
    <div class={id === undefined ? 'approvals' : 'approvals opened'}>
      <section class="list" aria-label="Pending approvals">
        <Heading
          actions={
            <Button tone="quiet" small onClick={() => setHelp(true)}>
              Keyboard shortcuts
            </Button>
          }
        >
          Approvals
        </Heading>
        {!mayVote(me) && (
          <Notice kind="info">This key can see approvals but cannot vote. Sign in with a person's key to vote.</Notice>
        )}
        <HeldTools api={api} />
        <Loaded live={live} lines={8}>
          {({ pending: all, cursor }) => (
            <>
              {all.length > 0 && (
                <Toolbar>
                  <Field label="Search">
                    {(tied) => (
                      <input
                        {...tied}
                        ref={search}
                        type="search"
                        placeholder="Effect, agent, session"
                        value={filter.text}
                        onInput={(event) => address.set({ q: event.currentTarget.value })}
                        onKeyDown={leaveByEscape}
                      />
                    )}
                  </Field>
                  <Choice<RiskName | ''>
                    label="Risk"
                    value={filter.risk}
                    choose={(risk) => address.set({ risk })}
                    options={[['', 'All'], ...riskOptions]}
                  />
                </Toolbar>
              )}
              <p role="status" class={all.length === 0 ? 'unseen' : 'quiet'}>
                {statusText(all.length, items?.length ?? 0, cursor !== undefined)}
              </p>
              {all.length === 0 && (
                <EmptyState
                  icon="approval"
                  title="No call is pending approval"
                  example={<pre>policy: {'{ tool: "*", capability: delete, decision: review }'}</pre>}
                >
                  Calls that need approval appear here, with their effects, the caller and the reason.
                </EmptyState>
              )}
              <PendingRows items={items ?? []} open={id} query={query} />
              {live.more && <Button onClick={live.more}>Show more</Button>}
              {cursor && !live.more && <p class="quiet">There are more; agentctl lists them all.</p>}
            </>
          )}
        </Loaded>
      </section>
      {id === undefined ? (
        items !== undefined && items.length > 0 && <p class="no-card">Choose a request, or press j.</p>
      ) : (
        <section class="card" aria-label="Request" tabIndex={-1}>
          <Back href={hashOf('approvals') + query}>All approvals</Back>
          <OpenCard
            key={id}
            api={api}
            me={me}
            id={id}
            pending={open}
            listed={pending ?? []}
            vote={vote}
            shown={shown}
          />
        </section>
      )}
      {asked && (
        <VoteDialog
          key={asked.nth}
          items={asked.items}
          verdict={asked.verdict}
          api={api}
          me={me}
          close={() => {
            // A dialog closed by Escape reports that in a later task, and another key may have opened the next dialog
            // before that.
            setAsked((now) => (now === asked ? undefined : now));
            live.refresh();
          }}
        />
      )}
      {help && <Help close={() => setHelp(false)} />}
    </div>
  );
}

const riskOptions = Object.entries(risks).map(([name, [word]]) => [name as RiskName, word] as const);

function statusText(all: number, listed: number, isMore: boolean): string {
  if (all === 0) return 'No call is pending approval. New requests appear here automatically.';
  if (listed < all) return `${listed} of ${countText(all, 'request')}${isMore ? ' and more' : ''} match.`;
  return `${countText(all, 'request')}${isMore ? ' and more' : ''} ${all === 1 ? 'waits' : 'wait'} for approval.`;
}

function leaveByEscape(event: KeyboardEvent & { readonly currentTarget: HTMLInputElement }): void {
  if (event.key === 'Escape' || event.key === 'Enter') event.currentTarget.blur();
}

const heldMs = 30_000;

/** Tool definitions that are also waiting for a human. */
function HeldTools({ api }: Pick<PageProps, 'api'>) {
  const ask = useCallback((signal: AbortSignal) => api.get<'listMcpTools'>('mcp/tools', signal), [api]);
  const count = useLive(ask, heldMs).value?.tools.filter(({ state }) => state !== 'accepted').length ?? 0;
  if (count === 0) return null;
  return (
    <Notice kind="warn">
      {countText(count, 'tool')} {count === 1 ? 'has' : 'have'} a definition that no human has accepted.{' '}
      <a href={hashOf('tools')}>Look at {count === 1 ? 'it' : 'them'}</a>
    </Notice>
  );
}
