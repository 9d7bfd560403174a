/** Approvals page: pending requests, oldest first, and the card of one request [console.approvals]. */
import { useCallback, useRef, useState } from 'preact/hooks';
import { useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';
import { go, hashOf, routeOf } from '../route.ts';
import { mayVote } from '../session.ts';
import { Code, Heading, Loaded, Notice, Text } from '../ui.tsx';
import { duration, plural } from '../words.ts';
import { OpenCard } from './card.tsx';
import { Help } from './help.tsx';
import { excerptOf, type Item, neighbour, voteObstacle } from './items.ts';
import { useShortcuts } from './shortcuts.ts';
import { type Verdict, VoteDialog } from './vote-dialog.tsx';

interface Question {
  readonly item: Item;
  readonly verdict: Verdict;
  /** Each has a dialog of its own. */
  readonly nth: number;
}

export function ApprovalsPage({ api, me, id, pending: live }: PageProps) {
  const items = live.value?.pending;
  const [asked, setAsked] = useState<Question | undefined>();
  const questions = useRef(0);
  const [help, setHelp] = useState(false);
  const open = items?.find(({ envelope_id }) => envelope_id === id);
  // The request on the card, which may be none of the list: the list holds the first ones alone.
  const shown = useRef<Item | undefined>();

  const vote = (item: Item, verdict: Verdict) => setAsked({ item, verdict, nth: ++questions.current });
  // By the address, which is ahead of what is drawn when keys come fast.
  const move = (step: 1 | -1) => {
    const next = items && neighbour(items, routeOf(location.hash).id, step);
    if (next) go('approvals', next);
  };
  const voteOnOpen = (verdict: Verdict) => {
    const { current: item } = shown;
    if (item?.status !== 'pending' || item.envelope_id !== routeOf(location.hash).id) return;
    if (mayVote(me) && !voteObstacle(item, me)) vote(item, verdict);
  };
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    a: () => voteOnOpen('approve'),
    d: () => voteOnOpen('deny'),
    '?': () => setHelp(true),
  });

  return (
    <div class={id === undefined ? 'approvals' : 'approvals opened'}>
      <section class="list" aria-label="Pending approvals">
        <Heading>Approvals</Heading>
        {!mayVote(me) && (
          <Notice kind="info">This key shows approvals and cannot vote. Sign in with a key of a person to vote.</Notice>
        )}
        <HeldTools api={api} />
        <Loaded live={live}>
          {({ pending, cursor }) => (
            <>
              <p role="status">
                {pending.length === 0
                  ? 'Nothing waits for approval. New requests appear here by themselves.'
                  : `${plural(pending.length, 'request')}${cursor ? ' and more' : ''} ${pending.length === 1 ? 'waits' : 'wait'} for approval.`}
              </p>
              <Pending items={pending} open={id} />
              {live.more && (
                <button type="button" onClick={live.more}>
                  Show more
                </button>
              )}
              {cursor && !live.more && <p class="quiet">There are more; agentctl lists them all.</p>}
            </>
          )}
        </Loaded>
        <p class="hints">
          <button type="button" class="plain" onClick={() => setHelp(true)}>
            Keyboard shortcuts
          </button>
        </p>
      </section>
      {id !== undefined && (
        <section class="card" aria-label="Request">
          <a class="back" href={hashOf('approvals')}>
            ← All approvals
          </a>
          <OpenCard key={id} api={api} me={me} id={id} pending={open} vote={vote} shown={shown} />
        </section>
      )}
      {asked && (
        <VoteDialog
          key={asked.nth}
          item={asked.item}
          verdict={asked.verdict}
          api={api}
          me={me}
          close={() => {
            // A dialog that Escape has closed reports it in a later task: a key may have asked the next question before that.
            setAsked((now) => (now === asked ? undefined : now));
            live.refresh();
          }}
        />
      )}
      {help && <Help close={() => setHelp(false)} />}
    </div>
  );
}

/** What would run, in one line, so that requests for the same tool can be distinguished. */
function Excerpt({ of }: { readonly of: Item }) {
  const text = excerptOf(of);
  return text === undefined ? null : (
    <span class="excerpt">
      <Code of={text} />
    </span>
  );
}

const heldMs = 30_000;

/** Definitions of tools wait for a human as well. */
function HeldTools({ api }: Pick<PageProps, 'api'>) {
  const ask = useCallback((signal: AbortSignal) => api.get<'listMcpTools'>('mcp/tools', signal), [api]);
  const count = useLive(ask, heldMs).value?.tools.filter(({ state }) => state !== 'accepted').length ?? 0;
  if (count === 0) return null;
  return (
    <Notice kind="warn">
      {plural(count, 'tool')} {count === 1 ? 'has' : 'have'} a definition that no human has accepted.{' '}
      <a href={hashOf('tools')}>Look at {count === 1 ? 'it' : 'them'}</a>
    </Notice>
  );
}

function Pending({ items, open }: { readonly items: readonly Item[]; readonly open: string | undefined }) {
  return (
    <ol class="pending">
      {items.map((item) => (
        <li key={item.envelope_id}>
          <a href={hashOf('approvals', item.envelope_id)} aria-current={item.envelope_id === open ? 'true' : undefined}>
            <span class="line">
              <Code of={item.tool} />
              <span class="quiet">{duration(item.expires_in_seconds ?? 0)} left</span>
            </span>
            <Excerpt of={item} />
            <span class="line">
              <Text of={item.target} />
              <span class="quiet">{item.key.name ? <Text of={item.key.name} /> : 'a key without a name'}</span>
            </span>
          </a>
        </li>
      ))}
    </ol>
  );
}
