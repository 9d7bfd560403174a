/** One session: its steps to replay, its risk with the reasons, and the verification of its chain. */
import { useCallback, useState } from 'preact/hooks';
import { countText } from '#core/kernel/count-text.ts';
import { type Api, faultText } from '../api.ts';
import { Button, Buttons } from '../design/button.tsx';
import { Back, Card, Fact, Facts, Figure, Grid, Heading } from '../design/layout.tsx';
import { Loaded, Notice } from '../design/states.tsx';
import { Code, Text } from '../design/text.tsx';
import { RelativeTime } from '../design/values.tsx';
import { useKeyNames } from '../key-names.ts';
import { useLive } from '../live.ts';
import { hashOf } from '../route.ts';
import { figure } from '../words.ts';
import { type RecordedSession, recordedSession } from './recorded-session.ts';
import { Timeline } from './timeline.tsx';
import { noKeys, TrustedKeys, useVerifier, Verdict } from './verdict.tsx';

interface SessionProps {
  readonly api: Api;
  readonly id: string;
}

export function SessionView({ api, id }: SessionProps) {
  const exported = useCallback((signal?: AbortSignal) => api.blob(exportOf(id), signal), [api, id]);
  const ask = useCallback(async (signal: AbortSignal) => recordedSession(await exported(signal), signal), [exported]);
  const live = useLive(ask, 0);
  const { nameOf } = useKeyNames(api);
  return (
    <>
      <Back href={hashOf('sessions')}>All sessions</Back>
      <Heading>
        Session <Code of={id} />
      </Heading>
      <Grid>
        <Summary session={live.value} nameOf={nameOf} />
        <Risk api={api} id={id} />
        <Verify id={id} bundle={async () => live.value?.bundle ?? exported()} />
      </Grid>
      <section>
        <h2>Timeline</h2>
        <Loaded live={live} lines={8}>
          {(session) => <Timeline session={session} nameOf={nameOf} />}
        </Loaded>
      </section>
    </>
  );
}

const exportOf = (id: string) => `evidence/sessions/${encodeURIComponent(id)}/export`;

interface SummaryProps {
  readonly session: RecordedSession | undefined;
  readonly nameOf: (key: string) => string;
}

function Summary({ session, nameOf }: SummaryProps) {
  if (!session)
    return (
      <Card title="Summary" icon="session">
        <p class="quiet">…</p>
      </Card>
    );
  const { manifest, total, first, last } = session;
  const { counts, policy_versions } = manifest;
  return (
    <Card title="Summary" icon="session">
      <Figure of={figure(total)}>{total === 1 ? 'entry' : 'entries'}</Figure>
      <Facts>
        <Fact name="Agent">
          <Text of={first.actor.agent ?? nameOf(first.actor.key_id)} />
        </Fact>
        <Fact name="Began">
          <RelativeTime at={first.timestamp} />
        </Fact>
        <Fact name="Last entry">
          <RelativeTime at={last.timestamp} />
        </Fact>
        <Fact name="Kinds">
          <Text
            of={Object.entries(counts)
              .map(([kind, count]) => `${figure(count)} ${kind}`)
              .join(', ')}
          />
        </Fact>
        <Fact name="Policy">version {policy_versions.join(', ')}</Fact>
      </Facts>
    </Card>
  );
}

function Risk({ api, id }: SessionProps) {
  const ask = useCallback(
    (signal: AbortSignal) => api.get<'sessionRisk'>(`sessions/${encodeURIComponent(id)}/risk`, signal),
    [api, id],
  );
  return (
    <Card title="Risk" icon="alert">
      <Loaded live={useLive(ask, 0)}>
        {({ score, kill_switch_score, blocked, reason, alerts }) => (
          <>
            {blocked && (
              <Notice kind="bad">
                Blocked
                {reason && (
                  <>
                    : <Text of={reason} />
                  </>
                )}
              </Notice>
            )}
            <Figure of={score}>points; calls are blocked at {kill_switch_score}</Figure>
            {alerts.length === 0 ? (
              <p class="quiet">No unusual activity was detected.</p>
            ) : (
              <ul class="plain-list">
                {alerts.map(({ rule, points, at }) => (
                  <li key={`${rule}${at}`}>
                    {rule}: {countText(points, 'point')}, <RelativeTime at={at} />
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}

interface VerifyProps {
  readonly id: string;
  readonly bundle: () => Promise<Blob>;
}

function Verify({ id, bundle }: VerifyProps) {
  const [keys, setKeys] = useState(noKeys);
  const verifier = useVerifier();
  const [fault, setFault] = useState<string | undefined>();
  const save = async () => {
    setFault(undefined);
    try {
      await saveFile(id, await bundle());
    } catch (cause) {
      setFault(faultText(cause));
    }
  };
  return (
    <Card title="Evidence" icon="chain">
      <p class="quiet">The chain and its signatures are verified in this browser. Nothing is sent anywhere.</p>
      <details>
        <summary>Keys that you trust</summary>
        <TrustedKeys of={keys} change={setKeys} />
      </details>
      <Buttons>
        <Button disabled={verifier.busy} onClick={() => verifier.verify(bundle, keys)}>
          Verify
        </Button>
        <Button onClick={save}>Save as one HTML file</Button>
      </Buttons>
      <div role="alert">{fault !== undefined && <Notice kind="bad">{fault}</Notice>}</div>
      <Verdict of={verifier} />
    </Card>
  );
}

/** Saves the session as one HTML file that verifies itself offline [evidence.single-file]. */
async function saveFile(id: string, bundle: Blob): Promise<void> {
  const [{ singleFile }, text, script] = await Promise.all([
    import('../evidence/single-file.ts'),
    bundle.text(),
    fetch('evidence.js', { credentials: 'omit' }).then((answer) => answer.text()),
  ]);
  const pieces: string[] = [];
  for await (const piece of singleFile(text, script)) pieces.push(piece);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(pieces, { type: 'text/html' }));
  link.download = `session-${id.replace(/[^\w.-]+/g, '-')}.html`;
  link.click();
  URL.revokeObjectURL(link.href);
}
