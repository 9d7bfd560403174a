/** One chat call: its steps in order, the judge that decided, its cost, and its evidence entries [console.request]. */
import { useCallback } from 'preact/hooks';
import { chatFacts } from '#core/evidence/report-chat.ts';
import { countText } from '#core/kernel/count-text.ts';
import type { AnswerOf } from '#core/operations/endpoints.ts';
import { type Api, ApiError } from '../api.ts';
import { Badge } from '../design/badge.tsx';
import { Back, Card, Fact, Facts, Figure, Grid, Heading } from '../design/layout.tsx';
import { Loaded, Notice } from '../design/states.tsx';
import { Block, Code, Text } from '../design/text.tsx';
import { Money, RelativeTime } from '../design/values.tsx';
import { useKeyNames } from '../key-names.ts';
import { useLive } from '../live.ts';
import { hashOf } from '../route.ts';
import { entriesOf } from '../sessions/recorded-session.ts';
import { figure } from '../words.ts';
import { parseRequestAddress } from './filters.ts';
import { Status } from './list.tsx';
import { milliseconds } from './milliseconds.ts';
import { TraceView } from './trace-view.tsx';
import type { Trace } from './waterfall.ts';

type Entry = AnswerOf<'exportSession'>['entries'][number];

interface Answers {
  readonly entries: readonly Entry[];
  readonly trace: Trace | undefined;
}

interface OneRequestProps {
  readonly api: Api;
  readonly id: string;
}

export function OneRequest({ api, id }: OneRequestProps) {
  const [session, envelope] = parseRequestAddress(id);
  const { nameOf } = useKeyNames(api);
  const ask = useCallback(
    (signal: AbortSignal) => answersOf(api, [session, envelope], signal),
    [api, session, envelope],
  );
  return (
    <>
      <Back href={hashOf('requests')}>All requests</Back>
      <Loaded live={useLive(ask, 0)} lines={8}>
        {(answers) => <RequestDetails {...answers} session={session} envelope={envelope} nameOf={nameOf} />}
      </Loaded>
    </>
  );
}

async function answersOf(
  api: Api,
  [session, envelope]: readonly [string, string],
  signal: AbortSignal,
): Promise<Answers> {
  const bundle = await api.blob(`evidence/sessions/${encodeURIComponent(session)}/export`, signal);
  const entries = await entriesOf(bundle, envelope, signal);
  const traceId = entries.map(({ body }) => body.trace_id).find((each) => typeof each === 'string');
  if (traceId === undefined) return { entries, trace: undefined };
  const trace = await api.ofFeature<Trace>(`traces/${encodeURIComponent(traceId)}`, signal).catch((fault: unknown) => {
    if (fault instanceof ApiError && fault.status === 404) return undefined;
    throw fault;
  });
  return { entries, trace };
}

interface ShownProps extends Answers {
  readonly session: string;
  readonly envelope: string;
  readonly nameOf: (key: string) => string;
}

function RequestDetails({ entries, trace, session, envelope, nameOf }: ShownProps) {
  const chat = entries.findLast(({ kind, body }) => kind === 'chat' && body.outcome !== 'begun') ?? entries.at(-1);
  if (!chat)
    return (
      <>
        <Heading>Request</Heading>
        <Notice kind="warn">
          The session <Code of={session} /> has no entry of this request.
        </Notice>
      </>
    );
  const { body, timestamp, actor } = chat;
  const said = (name: string): string => (typeof body[name] === 'string' ? body[name] : '');
  const count = (name: string): number => (typeof body[name] === 'number' ? body[name] : 0);
  const usage = (body.usage ?? {}) as { readonly input_tokens?: number; readonly output_tokens?: number };
  const facts = chatFacts(chat).filter(
    ([label, value]) => typeof value === 'string' && value !== '' && !shownAbove.has(label),
  );
  return (
    <>
      <Heading
        lead={
          <>
            <RelativeTime at={timestamp} /> by <Text of={actor.person ?? nameOf(actor.key_id)} />
            {actor.agent && (
              <>
                , label <Text of={actor.agent} />
              </>
            )}{' '}
            in session{' '}
            <a href={hashOf('sessions', session)}>
              <Code of={session} />
            </a>
          </>
        }
      >
        <Code of={said('model') || 'Request'} />{' '}
        <Status of={{ outcome: said('outcome') || chat.kind, status: count('status') }} />
      </Heading>
      <Grid>
        <Card title="Decision" icon="policy" aside={<Badge of={said('decision') || chat.kind} />}>
          <p>
            {said('matched_rule') === '' ? (
              'No filter or rule matched.'
            ) : (
              <>
                By rule <Code of={said('matched_rule')} />
              </>
            )}
          </p>
          {said('reason') !== '' && (
            <p>
              <Text of={said('reason')} />
            </p>
          )}
        </Card>
        <Card title="Cost" icon="budget">
          <Figure of={<Money usd={count('cost_microusd') / 1_000_000} />}>
            {body.cost_estimated === true ? 'estimated' : 'counted'}
          </Figure>
          <p class="quiet">
            {figure(usage.input_tokens ?? 0)} tokens in, {figure(usage.output_tokens ?? 0)} out
          </p>
        </Card>
        <Card title="Latency" icon="clock">
          <Figure of={milliseconds(count('latency_ms'))}>in all</Figure>
          {typeof body.first_token_ms === 'number' && (
            <p class="quiet">First token after {milliseconds(body.first_token_ms)}</p>
          )}
        </Card>
      </Grid>
      {said('error') !== '' && (
        <Notice kind="bad">
          <Text of={said('error')} />
        </Notice>
      )}
      <Card title="Trace" icon="activity">
        {trace ? <TraceView trace={trace} /> : <p class="quiet">The trace is gone: the gateway keeps the last 500.</p>}
      </Card>
      <Card title="Facts" icon="request">
        <Facts>
          {facts.map(([label, value, code]) => (
            <Fact key={label} name={label}>
              {code ? <Code of={String(value)} /> : <Text of={String(value)} />}
            </Fact>
          ))}
          <Fact name="Envelope">
            <Code of={envelope} />
          </Fact>
        </Facts>
      </Card>
      <Card
        title="Evidence"
        icon="chain"
        aside={<span class="quiet">{countText(entries.length, 'entry').replace('entrys', 'entries')}</span>}
      >
        {entries.map((entry) => (
          <details key={entry.hash}>
            <summary>
              Entry {entry.index} <Badge of={entry.kind} /> <RelativeTime at={entry.timestamp} />
            </summary>
            <Facts>
              <Fact name="Hash">
                <Code of={entry.hash} />
              </Fact>
            </Facts>
            <Block of={JSON.stringify(entry.body, null, 2)} />
          </details>
        ))}
      </Card>
    </>
  );
}

const shownAbove: ReadonlySet<string> = new Set(['Cost', 'Tokens', 'Error', 'Model']);
