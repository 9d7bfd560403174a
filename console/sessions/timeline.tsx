/** The steps of a session, replayed one by one: with buttons, arrow keys or automatically [console.replay]. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { entryStory } from '#core/evidence/entry-story.ts';
import { countText } from '#core/kernel/count-text.ts';
import { useAddress } from '../address-query.ts';
import { Badge } from '../design/badge.tsx';
import { Button } from '../design/button.tsx';
import { Card, Fact, Facts } from '../design/layout.tsx';
import { Block, Code, Text } from '../design/text.tsx';
import { Money, RelativeTime } from '../design/values.tsx';
import { duration, figure } from '../words.ts';
import type { RecordedSession, RecordedStep } from './recorded-session.ts';
import { type Entry, excerptOf, pauseBetween, type ReplayState, stepOf } from './replay.ts';

/** Number of rows rendered: those in view, and some before and after them. */
const maxRows = 200;
/** Number of rows to scroll before the rendered rows are updated. */
const stride = 50;
const rowRem = 2.25;

interface TimelineProps {
  readonly session: RecordedSession;
  /** Returns the name of a key by its id. */
  readonly nameOf: (key: string) => string;
}

/** Returns steps of the session or, while they load, the steps loaded last. */
function useSteps(session: RecordedSession, from: number, to: number) {
  const [read, setRead] = useState<{ readonly from: number; readonly steps: readonly RecordedStep[] }>({
    from,
    steps: [],
  });
  useEffect(() => {
    let left = false;
    session.steps(from, to).then((steps) => left || setRead({ from, steps }));
    return () => {
      left = true;
    };
  }, [session, from, to]);
  return read;
}

export function Timeline({ session, nameOf }: TimelineProps) {
  const { total } = session;
  const { asked, set } = useAddress();
  const step = stepOf(asked('step'), total);
  const [playing, setPlaying] = useState(false);
  const last = total - 1;
  const list = useRef<HTMLDivElement>(null);
  const focuses = useRef(false);
  const [top, setTop] = useState(0);
  const from = Math.max(0, Math.min(top - stride, total - maxRows));
  const rows = useSteps(session, from, from + maxRows);
  const shown = useSteps(session, step, step + 2);
  const [current, next] = shown.steps;
  const isRead = shown.from === step;
  const go = (to: number) => set({ step: String(Math.min(Math.max(to, 0), last) + 1) });
  useEffect(() => {
    if (!playing || !isRead || !current) return;
    if (!next) return setPlaying(false);
    const timer = setTimeout(() => go(step + 1), pauseBetween(current.standing, next.standing));
    return () => clearTimeout(timer);
  }, [playing, step, isRead, current]);
  useEffect(() => {
    const { current: box } = list;
    if (!box) return;
    const rowPixels = box.scrollHeight / total;
    box.scrollTop = (step + 0.5) * rowPixels - box.clientHeight / 2;
  }, [step, total]);
  const onScroll = ({ currentTarget: box }: { readonly currentTarget: HTMLDivElement }) => {
    const first = Math.floor((box.scrollTop / box.scrollHeight) * total);
    setTop(first - (first % stride));
  };
  // A distant step gets its row only after it has been read.
  useEffect(() => {
    const row = focuses.current && list.current?.querySelector<HTMLElement>('[aria-current]');
    if (!row) return;
    row.focus({ preventScroll: true });
    focuses.current = false;
  }, [step, rows]);
  const onKeyDown = (event: KeyboardEvent) => {
    const to = {
      ArrowDown: step + 1,
      ArrowUp: step - 1,
      ArrowRight: step + 1,
      ArrowLeft: step - 1,
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    setPlaying(false);
    focuses.current = true;
    go(to);
  };
  const isListed = step >= rows.from && step < rows.from + rows.steps.length;
  return (
    <>
      <div class="player">
        <Button small icon="back" disabled={step === 0} onClick={() => go(step - 1)}>
          Previous
        </Button>
        <Button
          small
          tone="primary"
          onClick={() => {
            if (step === last) go(0);
            setPlaying(!playing);
          }}
        >
          {playing ? 'Pause' : 'Replay'}
        </Button>
        <Button small icon="forward" disabled={step === last} onClick={() => go(step + 1)}>
          Next
        </Button>
        <span role="status">
          Step {figure(step + 1)} of {figure(total)}
        </span>
        {current && <StandingLine {...current.standing} />}
      </div>
      <div class="replay">
        <div ref={list} class="steps" onScroll={onScroll}>
          <ol
            start={rows.from + 1}
            style={{
              paddingTop: `${rows.from * rowRem}rem`,
              paddingBottom: `${(total - rows.from - rows.steps.length) * rowRem}rem`,
            }}
            onKeyDown={onKeyDown}
          >
            {rows.steps.map(({ entry }, at) => (
              <StepLine
                key={entry.hash}
                entry={entry}
                open={rows.from + at === step}
                reachable={isListed ? rows.from + at === step : at === 0}
                choose={() => go(rows.from + at)}
              />
            ))}
          </ol>
        </div>
        {current && <StepDetail key={current.entry.hash} entry={current.entry} nameOf={nameOf} />}
      </div>
    </>
  );
}

function StandingLine({ allowed, blocked, waiting, chats, usd, afterMs }: ReplayState) {
  return (
    <span class="quiet">
      {duration(afterMs / 1000)} after the start · {figure(allowed)} allowed, {figure(blocked)} blocked
      {waiting > 0 && `, ${figure(waiting)} pending`}
      {chats > 0 && (
        <>
          {' · '}
          {countText(chats, 'model call')} for <Money usd={usd} />
        </>
      )}
    </span>
  );
}

interface StepLineProps {
  readonly entry: Entry;
  readonly open: boolean;
  /** True for the one row that Tab reaches; arrow keys move from it to the others. */
  readonly reachable: boolean;
  readonly choose: () => void;
}

const entryLabel = ({ kind, body }: Entry): string =>
  kind === 'deny' && body.reason === 'timeout' ? 'timed out' : kind;

function StepLine({ entry, open, reachable, choose }: StepLineProps) {
  const { what } = entryStory(entry);
  const excerpt = excerptOf(entry);
  return (
    <li>
      <button type="button" aria-current={open ? 'step' : undefined} tabIndex={reachable ? 0 : -1} onClick={choose}>
        <span class="step-number">{entry.index + 1}</span>
        <Badge of={entryLabel(entry)} />
        <span class="step-what">
          <Text of={what || entry.kind} />
          {excerpt !== '' && (
            <span class="quiet">
              {' '}
              <Text of={excerpt} />
            </span>
          )}
        </span>
      </button>
    </li>
  );
}

function StepDetail({ entry, nameOf }: Pick<TimelineProps, 'nameOf'> & { readonly entry: Entry }) {
  const { index, timestamp, actor, body, hash, previous_hash, envelope_id } = entry;
  const { what, detail, facts } = entryStory(entry);
  const { parameters, result } = body;
  return (
    <Card title={`Step ${index + 1}`} aside={<Badge of={entryLabel(entry)} />}>
      <p class="step-title">
        <Text of={what || entry.kind} />
      </p>
      <p class="quiet">
        <RelativeTime at={timestamp} /> by <Text of={actor.person ?? nameOf(actor.key_id)} />
        {actor.agent && (
          <>
            , label <Text of={actor.agent} />
          </>
        )}
        {detail !== '' && (
          <>
            {' · '}
            <Text of={detail} />
          </>
        )}
      </p>
      {parameters !== undefined && <Values title="Parameters" of={parameters} />}
      {result !== undefined && <Values title="Result" of={result} />}
      <Facts>
        {facts.map(({ label, value, code }) => (
          <Fact key={label} name={label}>
            {code ? <Code of={value} /> : <Text of={value} />}
          </Fact>
        ))}
        <Fact name="Envelope">
          <Code of={envelope_id} />
        </Fact>
      </Facts>
      <details>
        <summary>The entry as signed</summary>
        <Facts>
          <Fact name="Hash">
            <Code of={hash} />
          </Fact>
          <Fact name="Entry before">
            {previous_hash === '' ? 'none: the chain begins here' : <Code of={previous_hash} />}
          </Fact>
        </Facts>
        <Block of={JSON.stringify(body, null, 2)} />
      </details>
    </Card>
  );
}

/** Each value by its name; strings keep their line breaks. */
function Values({ title, of }: { readonly title: string; readonly of: unknown }) {
  const isMap = typeof of === 'object' && of !== null && !Array.isArray(of);
  const values = isMap ? Object.entries(of) : [['', of] as const];
  if (values.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      {values.map(([name, value]) => (
        <div key={name} class="value">
          {name !== '' && (
            <p class="quiet">
              <Text of={name} />
            </p>
          )}
          <Block of={typeof value === 'string' ? value : JSON.stringify(value, null, 2)} />
        </div>
      ))}
    </>
  );
}
