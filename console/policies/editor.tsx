/** The tool policies of the configuration in force, changed and stored as a new version with a reason [console.policy-saved]. */
import { useState } from 'preact/hooks';
import type { AnswerOf } from '#core/contracts/operations.ts';
import { type Api, faultText } from '../api.ts';
import { hashOf } from '../route.ts';
import { Notice, Text } from '../ui.tsx';

type Stored = AnswerOf<'getConfig'>;

export function Editor({ api }: { readonly api: Api }) {
  const [base, setBase] = useState<Stored | undefined>();
  const [text, setText] = useState('');
  const [reason, setReason] = useState('');
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | undefined>();
  const [saved, setSaved] = useState<AnswerOf<'putConfig'> | undefined>();
  const work = async (act: () => Promise<void>) => {
    setBusy(true);
    setFault(undefined);
    setSaved(undefined);
    try {
      await act();
    } catch (cause) {
      setFault(cause instanceof SyntaxError ? `The policies are not JSON: ${cause.message}` : faultText(cause));
    }
    setBusy(false);
  };
  const load = () =>
    work(async () => {
      const stored = await api.get<'getConfig'>('config');
      setBase(stored);
      setText(JSON.stringify(stored.configuration.tool_policies, null, 2));
    });
  const save = (event: Event) => {
    event.preventDefault();
    work(async () => {
      const changed = JSON.parse(text) as unknown;
      const current = await api.get<'getConfig'>('config');
      if (current.version !== base?.version)
        throw new Error(
          `Version ${current.version} was stored meanwhile; these policies are of version ${base?.version}. Load again.`,
        );
      const path = `config?reason=${encodeURIComponent(reason.trim())}`;
      const stored = await api.putText<'putConfig'>(
        path,
        JSON.stringify({ ...current.configuration, tool_policies: changed }),
      );
      setSaved(stored);
      setReason('');
      setBase(undefined);
    });
  };
  return (
    <section>
      <h2>Change the policies</h2>
      {base === undefined ? (
        <button type="button" disabled={busy} onClick={load}>
          Load the policies in force
        </button>
      ) : (
        <form onSubmit={save}>
          <label for="policies">Tool policies of version {base.version} (JSON)</label>
          <textarea
            id="policies"
            class="code"
            rows={16}
            spellcheck={false}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <label for="reason">Reason, recorded in the evidence</label>
          <input
            id="reason"
            required
            maxLength={500}
            autoComplete="off"
            value={reason}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
          <p class="buttons">
            <button type="submit" class="good" disabled={busy}>
              Save as a new version
            </button>
            <button type="button" disabled={busy} onClick={() => setBase(undefined)}>
              Cancel
            </button>
          </p>
        </form>
      )}
      <div role="status">
        {fault !== undefined && (
          <Notice kind="bad">
            <Text of={fault} />
          </Notice>
        )}
        {saved && (
          <Notice kind="good">
            Version {saved.version} is in force.{' '}
            {saved.version > 1 && (
              <a href={hashOf('policies', String(saved.version - 1))}>Compare it with the one before</a>
            )}
          </Notice>
        )}
      </div>
    </section>
  );
}
