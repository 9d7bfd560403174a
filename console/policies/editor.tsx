/**
 * A draft of the tool policies as YAML; platform administrators can store it as a new version with a reason
 * [console.policy-saved].
 */
import { useRef, useState } from 'preact/hooks';
import type { AnswerOf } from '#core/operations/endpoints.ts';
import { type Api, faultText } from '../api.ts';
import { Button, Buttons } from '../design/button.tsx';
import { Field } from '../design/field.tsx';
import { Notice } from '../design/states.tsx';
import { Text } from '../design/text.tsx';
import { lazy } from '../lazy.tsx';
import { hashOf } from '../route.ts';
import type { Draft } from './draft.ts';

interface EditorProps {
  readonly api: Api;
  readonly maySave: boolean;
  /** The active version, once it is known. */
  readonly current: number | undefined;
  /** Undefined while no policies are loaded. */
  readonly draft: Draft | undefined;
  readonly setDraft: (draft: Draft | undefined) => void;
  /** Errors of the draft, with their paths. */
  readonly fault: string | undefined;
}

/** Loads the editor with the first draft, because the editor is larger than the rest of the page. */
const loadEditor = async () => {
  await import('../evidence/no-eval.ts'); // before the first schema is created
  return import('./editing.ts');
};
type EditorModule = Awaited<ReturnType<typeof loadEditor>>;
const YamlEditor = lazy(async () => (await loadEditor()).YamlEditor);

export function Editor({ api, maySave, current, draft, setDraft, fault: refused }: EditorProps) {
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
      setFault(faultText(cause));
    }
    setBusy(false);
  };
  // Updates the state immediately while the person types: a later response would undo changes typed in the meantime.
  const editing = useRef<EditorModule | undefined>();
  const [loads, setLoads] = useState(0);
  const write = (of: Draft['of'], text: string) => {
    const { parseDraft, policiesOf } = editing.current!;
    setDraft({ of, text, read: parseDraft(text, policiesOf(of)) });
  };
  const load = (whole = false) =>
    work(async () => {
      const { current: inForce } = await api.get<'policyVersions'>('policy-versions');
      const of = await api.get<'policyVersion'>(`policy-versions/${inForce}`);
      editing.current = await loadEditor();
      const { writtenForm, policiesOf } = editing.current;
      write(of, writtenForm(policiesOf(of), whole));
      setLoads((count) => count + 1);
    });
  const save = (event: Event) => {
    event.preventDefault();
    if (!maySave || !draft) return;
    work(async () => {
      const { policies } = draft.read;
      if (policies === undefined) throw new Error('The policies are not YAML yet. The editor marks the place.');
      const inForce = await api.get<'getConfig'>('config');
      if (inForce.version !== draft.of.version) throw new Error(storedMeanwhile(inForce.version, draft));
      const path = `config?reason=${encodeURIComponent(reason.trim())}`;
      const stored = await api.putText<'putConfig'>(
        path,
        JSON.stringify({ ...inForce.configuration, tool_policies: policies }),
      );
      setSaved(stored);
      setReason('');
      setDraft(undefined);
    });
  };
  const problems = draft ? [...draft.read.problems, ...draft.read.placed(fault ?? refused ?? '')] : [];
  return (
    <section>
      <h2>Draft a change</h2>
      {draft === undefined ? (
        <>
          <p class="quiet">
            Change the policies and see immediately which decisions change. Nothing is stored
            {maySave ? ' until you save a new version.' : ': storing a version requires a platform administrator.'}
          </p>
          <Buttons>
            <Button disabled={busy} onClick={() => load()}>
              Load the current policy
            </Button>
          </Buttons>
        </>
      ) : (
        <form onSubmit={save}>
          <p class="editor-head">
            <strong>Tool policies of version {draft.of.version}</strong>
            {typeof packInDraft(draft) === 'string' && (
              <Button small disabled={busy} onClick={() => load(true)}>
                Write out the pack
              </Button>
            )}
          </p>
          <YamlEditor
            key={loads}
            label={`Tool policies of version ${draft.of.version} (YAML)`}
            text={draft.text}
            change={(text) => write(draft.of, text)}
            problems={problems}
          />
          <div role="status" class="editor-state">
            {problems.length === 0 ? (
              <p class="quiet">No errors. {refused === undefined ? '' : <Text of={refused} />}</p>
            ) : (
              problems.map(({ message, from }) => (
                <Notice key={`${from} ${message}`} kind="bad">
                  Line {draft.text.slice(0, from).split('\n').length}: <Text of={message} />
                </Notice>
              ))
            )}
          </div>
          {maySave && (
            <Field label="Reason, recorded in the evidence">
              {(tied) => (
                <input
                  {...tied}
                  required
                  maxLength={500}
                  autoComplete="off"
                  value={reason}
                  onInput={(event) => setReason(event.currentTarget.value)}
                />
              )}
            </Field>
          )}
          <Buttons>
            {maySave && (
              <Button type="submit" tone="primary" disabled={busy}>
                Save as a new version
              </Button>
            )}
            <Button disabled={busy} onClick={() => setDraft(undefined)}>
              Cancel
            </Button>
          </Buttons>
        </form>
      )}
      <div role="status">
        {draft && current !== undefined && current > draft.of.version && (
          <Notice kind="warn">{storedMeanwhile(current, draft)}</Notice>
        )}
        {fault !== undefined && (
          <Notice kind="bad">
            <Text of={fault} />
          </Notice>
        )}
        {saved && (
          <Notice kind="good">
            Version {saved.version} is in force.{' '}
            {saved.version > 1 && (
              <a href={hashOf('policies', String(saved.version - 1))}>Compare it with the previous one</a>
            )}
          </Notice>
        )}
      </div>
    </section>
  );
}

const storedMeanwhile = (current: number, { of: { version } }: Draft): string =>
  `Version ${current} has been stored in the meantime; these policies are from version ${version}. Load the current policy again.`;

/** Returns the pack of the draft: its name, or the whole pack. */
const packInDraft = ({ text }: Draft): string | undefined => /^pack: *([^{\s#].*)$/m.exec(text)?.[1];
