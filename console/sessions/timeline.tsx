/** The steps of a session, replayed one after the other: by buttons, arrow keys or by itself [console.replay]. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { entryStory } from '#core/evidence/entry-story.ts';
import { useAddress } from '../address-query.ts';
import { Badge } from '../design/badge.tsx';
import { Button } from '../design/button.tsx';
import { Card, Fact, Facts } from '../design/layout.tsx';
import { Block, Code, Text } from '../design/text.tsx';
import { Money, RelativeTime } from '../design/values.tsx';
import { duration, plural } from '../words.ts';
import { type Entry, excerptOf, pauseAfter, standingAt, stepOf } from './replay.ts';

/** Maximum number of listed entries: a long session shows those around the step. */
const listed = 200;

interface TimelineProps {
  readonly entries: readonly Entry[];
  /** Names of keys by id. */
  readonly nameOf: (key: string) => string;
}

export function Timeline({ entries, nameOf }: TimelineProps) {
  const { asked, set } = useAddress();
  const step = stepOf(asked('step'), entries.length);
  const [playing, setPlaying] = useState(false);
  const last = entries.length - 1;
  const list = useRef<HTMLOListElement>(null);
  const go = (to: number) => set({ step: String(Math.min(Math.max(to, 0), last) + 1) });
  useEffect(() => {
    if (!playing) return;
    if (step === last) return setPlaying(false);
    const timer = setTimeout(() => go(step + 1), pauseAfter(entries, step));
    return () => clearTimeout(timer);
  }, [playing, step, entries]);
  useEffect(() => {
    const { current: box } = list;
    const at = box?.querySelector<HTMLElement>('[aria-current]');
    if (box && at) box.scrollTop = at.offsetTop - box.clientHeight / 2;
  }, [step]);
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
    go(to);
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>('[aria-current]')?.focus());
  };
  const first = Math.max(0, Math.min(step - listed / 2, entries.length - listed));
  const entry = entries[step];
  if (!entry) return null;
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
          Step {step + 1} of {entries.length}
        </span>
        <Sums entries={entries} step={step} />
      </div>
      <div class="replay">
        <ol ref={list} class="steps" start={first + 1} onKeyDown={onKeyDown}>
          {entries.slice(first, first + listed).map((each, at) => (
            <StepLine key={each.hash} entry={each} open={first + at === step} choose={() => go(first + at)} />
          ))}
        </ol>
        <StepDetail key={entry.hash} entry={entry} nameOf={nameOf} />
      </div>
    </>
  );
}

function Sums({ entries, step }: { readonly entries: readonly Entry[]; readonly step: number }) {
  const { allowed, blocked, waiting, chats, usd, afterMs } = standingAt(entries, step);
  return (
    <span class="quiet">
      {duration(afterMs / 1000)} after the start · {allowed} allowed, {blocked} blocked
      {waiting > 0 && `, ${waiting} waiting`}
      {chats > 0 && (
        <>
          {' · '}
          {plural(chats, 'model call')} for <Money usd={usd} />
        </>
      )}
    </span>
  );
}

interface StepLineProps {
  readonly entry: Entry;
  readonly open: boolean;
  readonly choose: () => void;
}

const kindOf = ({ kind, body }: Entry): string => (kind === 'deny' && body.reason === 'timeout' ? 'timed out' : kind);

function StepLine({ entry, open, choose }: StepLineProps) {
  const { what } = entryStory(entry);
  const excerpt = excerptOf(entry);
  return (
    <li>
      <button type="button" aria-current={open ? 'step' : undefined} tabIndex={open ? 0 : -1} onClick={choose}>
        <span class="step-number">{entry.index + 1}</span>
        <Badge of={kindOf(entry)} />
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
    <Card title={`Step ${index + 1}`} aside={<Badge of={kindOf(entry)} />}>
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
        <summary>The entry as it is signed</summary>
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

/** Each value by its name; texts keep their lines. */
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
