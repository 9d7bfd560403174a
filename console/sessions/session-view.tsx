/** One session: its risk with the reasons, its entries in order, and the verification of its chain. */
import type { ComponentChildren } from 'preact';
import { useCallback, useState } from 'preact/hooks';
import type { AnswerOf } from '#core/contracts/operations.ts';
import { type Api, faultText } from '../api.ts';
import { useLive } from '../live.ts';
import { hashOf } from '../route.ts';
import { Badge, Block, Code, Fact, Facts, Heading, Loaded, Notice, RelativeTime, Text } from '../ui.tsx';
import { noKeys, TrustedKeys, useVerifier, Verdict } from './verdict.tsx';

interface SessionProps {
  readonly api: Api;
  readonly id: string;
}

export function SessionView({ api, id }: SessionProps) {
  return (
    <>
      <a class="back" href={hashOf('sessions')}>
        ← All sessions
      </a>
      <Heading>
        Session <Code of={id} />
      </Heading>
      <Risk api={api} id={id} />
      <Verify api={api} id={id} />
      <Entries api={api} id={id} />
    </>
  );
}

function Risk({ api, id }: SessionProps) {
  const ask = useCallback(
    (signal: AbortSignal) => api.get<'sessionRisk'>(`sessions/${encodeURIComponent(id)}/risk`, signal),
    [api, id],
  );
  return (
    <section>
      <h2>Risk</h2>
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
            <p>
              Score {score}; calls are refused from {kill_switch_score}.
            </p>
            <ul class="plain-list">
              {alerts.map(({ rule, points, at }) => (
                <li key={`${rule}${at}`}>
                  {rule}: {points} points, <RelativeTime at={at} />
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </section>
  );
}

function Verify({ api, id }: SessionProps) {
  const [keys, setKeys] = useState(noKeys);
  const verifier = useVerifier();
  const path = `evidence/sessions/${encodeURIComponent(id)}/export`;
  return (
    <section>
      <h2>Verify the evidence in this browser</h2>
      <TrustedKeys of={keys} change={setKeys} />
      <SaveFile api={api} id={id}>
        <button type="button" disabled={verifier.busy} onClick={() => verifier.verify(() => api.text(path), keys)}>
          Verify
        </button>
      </SaveFile>
      <Verdict of={verifier} />
    </section>
  );
}

/** The session as one HTML file that verifies itself offline [evidence.single-file]. */
function SaveFile({ api, id, children }: SessionProps & { readonly children: ComponentChildren }) {
  const [fault, setFault] = useState<string | undefined>();
  const save = async () => {
    setFault(undefined);
    try {
      const [{ singleFile }, bundle, script] = await Promise.all([
        import('../evidence/single-file.ts'),
        api.text(`evidence/sessions/${encodeURIComponent(id)}/export`),
        fetch('evidence.js', { credentials: 'omit' }).then((answer) => answer.text()),
      ]);
      const pieces: string[] = [];
      for await (const piece of singleFile(bundle, script)) pieces.push(piece);
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob(pieces, { type: 'text/html' }));
      link.download = `session-${id.replace(/[^\w.-]+/g, '-')}.html`;
      link.click();
      URL.revokeObjectURL(link.href);
    } catch (cause) {
      setFault(faultText(cause));
    }
  };
  return (
    <>
      <p class="buttons">
        {children}
        <button type="button" onClick={save}>
          Save as one HTML file
        </button>
      </p>
      <div role="alert">{fault !== undefined && <Notice kind="bad">{fault}</Notice>}</div>
    </>
  );
}

type Entry = AnswerOf<'exportSession'>['entries'][number];

/** Of long sessions the newest. */
const maxShown = 200;

function Entries({ api, id }: SessionProps) {
  const ask = useCallback(
    (signal: AbortSignal) => api.get<'exportSession'>(`evidence/sessions/${encodeURIComponent(id)}/export`, signal),
    [api, id],
  );
  return (
    <section>
      <h2>Entries</h2>
      <Loaded live={useLive(ask, 0)}>
        {({ entries }) => (
          <>
            {entries.length > maxShown && (
              <p class="quiet">
                The last {maxShown} of {entries.length} entries.
              </p>
            )}
            <ol class="plain-list">
              {entries.slice(-maxShown).map((entry) => (
                <EntryOf key={entry.hash} entry={entry} />
              ))}
            </ol>
          </>
        )}
      </Loaded>
    </section>
  );
}

function EntryOf({ entry }: { readonly entry: Entry }) {
  const { index, kind, timestamp, actor, body, hash, envelope_id } = entry;
  const said = (name: string) => (typeof body[name] === 'string' ? (body[name] as string) : undefined);
  const tool = said('tool');
  const target = said('target');
  return (
    <li>
      <details>
        <summary>
          {index} <Badge of={kind === 'deny' && said('reason') === 'timeout' ? 'timed out' : kind} />{' '}
          {said('action') && <Code of={said('action') ?? ''} />} {tool && <Code of={tool} />}{' '}
          {target && <Text of={target} />}{' '}
          <span class="quiet">
            <RelativeTime at={timestamp} />
          </span>
        </summary>
        <Facts>
          <Fact name="By">
            <Text of={actor.person ?? actor.key_id} />
            {actor.agent && (
              <>
                , label <Text of={actor.agent} />
              </>
            )}
          </Fact>
          {said('matched_rule') && (
            <Fact name="Rule">
              <Code of={said('matched_rule') ?? ''} />
            </Fact>
          )}
          <Fact name="Envelope">
            <Code of={envelope_id} />
          </Fact>
          <Fact name="Hash">
            <Code of={hash} />
          </Fact>
        </Facts>
        <Block of={JSON.stringify(body, null, 2)} />
      </details>
    </li>
  );
}
