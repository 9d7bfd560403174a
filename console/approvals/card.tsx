/** The card of one request: its caller, the whole call, its effects, the rule that stopped it, and the time left
 * [console.card]. */
import type { ComponentChildren } from 'preact';
import { type MutableRef, useCallback, useLayoutEffect, useRef } from 'preact/hooks';
import type { Api } from '../api.ts';
import { Badge, Risk } from '../design/badge.tsx';
import { Button, Buttons } from '../design/button.tsx';
import { focusPath, refocus } from '../design/focus.ts';
import { Fact, Facts } from '../design/layout.tsx';
import { Loaded, Notice } from '../design/states.tsx';
import { Code, Text } from '../design/text.tsx';
import { RelativeTime } from '../design/values.tsx';
import { useLive } from '../live.ts';
import { hashOf } from '../route.ts';
import { type Me, mayVote } from '../session.ts';
import { Definition } from '../tools/definition.tsx';
import { pathOf, toolAddress } from '../tools/tool-address.ts';
import { duration } from '../words.ts';
import { Before } from './before.tsx';
import { CallOf, Sources } from './call.tsx';
import { Reason, Rule, WhoAsks } from './grounds.tsx';
import {
  describeScope,
  effectOf,
  headingText,
  type Item,
  nextOf,
  risks,
  sourcesOf,
  togetherWith,
  type View,
  voteObstacle,
} from './items.ts';
import type { Verdict } from './vote-dialog.tsx';

interface OpenCardProps {
  readonly api: Api;
  readonly me: Me;
  readonly id: string;
  /**
   * The request's item from the list, which is loaded anyway; absent if the request is no longer pending or not listed.
   */
  readonly pending: Item | undefined;
  /** Listed requests, used to find identical calls. */
  readonly listed: readonly Item[];
  readonly vote: (items: readonly Item[], verdict: Verdict) => void;
  /** Receives the displayed request, for the keyboard shortcuts. */
  readonly shown: MutableRef<Item | undefined>;
}

export function OpenCard({ pending, ...rest }: OpenCardProps) {
  // The list shortens long calls.
  return pending && !pending.omitted ? <Card item={pending} {...rest} /> : <DecidedCard {...rest} />;
}

function DecidedCard({ api, id, ...rest }: Omit<OpenCardProps, 'pending'>) {
  const ask = useCallback(
    (signal: AbortSignal) => api.get<'getApproval'>(`approvals/${encodeURIComponent(id)}`, signal),
    [api, id],
  );
  const live = useLive(ask, 5_000);
  return <Loaded live={live}>{(view) => <Card item={view} api={api} id={id} {...rest} />}</Loaded>;
}

interface CardProps extends Omit<OpenCardProps, 'pending'> {
  readonly item: Item | View;
}

function Card({ item, api, me, listed, vote, shown }: CardProps) {
  useLayoutEffect(() => {
    shown.current = item;
    return () => {
      shown.current = undefined;
    };
  }, [item, shown]);
  return (
    <article aria-labelledby="card-title">
      <State item={item} />
      <h2 id="card-title">
        <Text of={effectOf(item)} />
      </h2>
      <p class="tool quiet">
        <Code of={item.tool} />
        {item.target !== '' && (
          <>
            {' '}
            on <Text of={headingText(item.target)} />
          </>
        )}
        {item.upstream && (
          <>
            {' '}
            at <Text of={item.upstream} />
            {item.upstream_tool && (
              <>
                {' '}
                (<Code of={item.upstream_tool} /> there)
              </>
            )}
          </>
        )}
        , <Text of={item.protocol} /> {item.capability}
      </p>
      <CardSection title="Who asks">
        <WhoAsks item={item} />
      </CardSection>
      <CardSection title="Why it is held">
        <Reason item={item} />
      </CardSection>
      <CardSection title="What would run">
        <CallOf item={item} api={api} />
        <Sources of={otherSources(item)} />
      </CardSection>
      <Effects of={item} />
      <CardSection title="Rule and votes">
        <Rule item={item} />
      </CardSection>
      {item.credential && (
        <CardSection title="Credentials for the call">
          <Facts>
            <Fact name="Credential">
              <Code of={item.credential.scope} /> for {duration(item.credential.ttl_seconds)}, from the broker{' '}
              <Text of={item.credential.broker} />
            </Fact>
            <Fact name="That is">
              {describeScope(item.credential.scope)} It is issued when the call runs, and expires after{' '}
              {duration(item.credential.ttl_seconds)} or when it is revoked.
            </Fact>
          </Facts>
        </CardSection>
      )}
      {item.upstream !== undefined && (
        <ItsDefinition api={api} upstream={item.upstream} tool={item.upstream_tool ?? item.tool} />
      )}
      <Before api={api} item={item} />
      <SimilarRequests item={item} />
      {item.status === 'pending' ? (
        <Decide item={item} me={me} listed={listed} vote={vote} />
      ) : (
        <VoteSummary view={item} />
      )}
    </article>
  );
}

/** The unaccepted parts of an MCP tool's definition, and the tools that it shadows [console.tools]. */
function ItsDefinition({
  api,
  upstream,
  tool,
}: {
  readonly api: Api;
  readonly upstream: string;
  readonly tool: string;
}) {
  const ask = useCallback(
    // Servers of other kinds have no such tool, so the card shows no definition.
    (signal: AbortSignal) => api.get<'showMcpTool'>(pathOf(upstream, tool), signal).catch(() => undefined),
    [api, upstream, tool],
  );
  const { value } = useLive(ask, 0);
  if (!value || (value.state === 'accepted' && value.shadows.length === 0)) return null;
  return (
    <CardSection title="The tool’s definition">
      {value.state !== 'accepted' && (
        <Notice kind="warn">
          {value.state === 'new' ? 'No human has accepted this tool.' : 'It has changed since a human accepted it.'}{' '}
          <a href={hashOf('tools', toolAddress(upstream, tool))}>Look at the tool</a>
        </Notice>
      )}
      <Definition of={value} />
    </CardSection>
  );
}

const CardSection = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <section>
    <h3>{title}</h3>
    {children}
  </section>
);

function State({ item }: { readonly item: Item }) {
  const { summary, status, expires_in_seconds: left = 0 } = item;
  return (
    <p class="state">
      {summary && <Risk kind={risks[summary.risk][1]} of={risks[summary.risk][0]} />}
      {status !== 'pending' && <Badge of={status} />}
      {status === 'pending' && <strong class={left < 120 ? 'soon' : ''}>{duration(left)} left</strong>}
      <span class="quiet">
        asked <RelativeTime at={item.queued_at} />
      </span>
    </p>
  );
}

/** Each effect with its risk; hidden if the title already shows the only effect. */
function Effects({ of: { effects = [], effect_risks: kinds = [], summary } }: { readonly of: Item }) {
  if (effects.length === 0 || (effects.length === 1 && effects[0] === summary?.text)) return null;
  return (
    <CardSection title="What it does">
      <ul class="effects">
        {effects.map((effect, at) => {
          const risk = kinds[at];
          return (
            <li key={effect}>
              {risk && <Risk kind={risks[risk][1]} of={risks[risk][0]} />}
              <Text of={effect} />
            </li>
          );
        })}
      </ul>
    </CardSection>
  );
}

/** Returns the lines about sources that do not belong to a shown parameter. */
function otherSources({ sources = [], parameters }: Item): readonly string[] {
  const shown = new Set(Object.keys(parameters).flatMap((name) => sourcesOf(name, sources)));
  return sources.filter((line) => !shown.has(line));
}

/** Requests that a reviewer may confuse with this one. */
function SimilarRequests({ item }: { readonly item: Item | View }) {
  if (!item.similar_pending) return null;
  return (
    <CardSection title="Nearly the same, and pending as well">
      <ul>
        {item.similar_pending.map(({ envelope_id, session_id, queued_at }) => (
          <li key={envelope_id}>
            <a href={hashOf('approvals', envelope_id)}>
              <Code of={envelope_id} />
            </a>{' '}
            of session <Code of={session_id} />, asked <RelativeTime at={queued_at} />; it needs its own vote
          </li>
        ))}
      </ul>
    </CardSection>
  );
}

function Decide({ item, me, listed, vote }: Pick<CardProps, 'me' | 'listed' | 'vote'> & { readonly item: Item }) {
  const section = useRef<HTMLElement>(null);
  // After the decision, the buttons disappear and the focus moves to the card.
  useLayoutEffect(
    () => () => {
      const path = focusPath();
      if (section.current?.contains(document.activeElement)) queueMicrotask(() => refocus(path));
    },
    [],
  );
  if (!mayVote(me)) return null;
  const together = togetherWith(item, listed, me);
  const refused = voteObstacle(item, me);
  const next = nextOf(item, Date.now());
  if (refused !== undefined) return <Notice kind="info">{refused}</Notice>;
  return (
    <section class="decide" aria-label="Decide" ref={section}>
      <Buttons>
        <Button tone="good" onClick={() => vote([item], 'approve')}>
          Approve…
        </Button>
        <Button tone="bad" onClick={() => vote([item], 'deny')}>
          Deny…
        </Button>
      </Buttons>
      {together.length > 1 && (
        <Buttons>
          <Button onClick={() => vote(together, 'approve')}>Approve all {together.length} identical calls…</Button>
          <Button onClick={() => vote(together, 'deny')}>Deny all {together.length}…</Button>
        </Buttons>
      )}
      <p class="quiet">{next && <>After an approval: {next} </>}A decision cannot be undone.</p>
    </section>
  );
}

function VoteSummary({ view }: { readonly view: View | Item }) {
  const { reviewer, person, comment, reason, approved_at, denied_at, outcome, evidence_hash, channel } = view as View;
  const at = approved_at ?? denied_at;
  return (
    <CardSection title="Decision">
      <Facts>
        <Fact name="Decision">
          <Badge of={reason === 'timeout' ? 'timed out' : denied_at ? 'denied' : 'approved'} />{' '}
          {at && <RelativeTime at={at} />}
          {reason === 'timeout' && ' because no reviewer decided in time'}
        </Fact>
        {(person ?? reviewer) && (
          <Fact name="By">
            <Text of={person ?? reviewer ?? ''} />{' '}
            {channel && (
              <>
                via <Text of={channel} />
              </>
            )}
          </Fact>
        )}
        {comment && (
          <Fact name="Comment">
            <Text of={comment} />
          </Fact>
        )}
        {outcome && (
          <Fact name="Outcome">
            <Badge of={outcome} />
          </Fact>
        )}
        {evidence_hash && (
          <Fact name="Evidence">
            <Code of={evidence_hash} />
          </Fact>
        )}
      </Facts>
    </CardSection>
  );
}
