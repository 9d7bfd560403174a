/**
 * The playground: a call, what the policies say of it and why, and what they would say after a change that is tried out beside it.
 * Nothing is recorded until the change is saved [console.playground].
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { AnswerOf } from '#core/contracts/operations.ts';
import { type Api, faultText } from '../api.ts';
import { Badge, Code, Fact, Facts, Notice, Text } from '../ui.tsx';
import { Decided } from './difference.tsx';
import type { Draft } from './draft.ts';
import { type EngineClient, engineClient } from './engine-client.ts';
import { Recorded } from './recorded.tsx';
import { Trace } from './trace.tsx';

const example = `{
  "protocol": "shell",
  "tool": "shell.run",
  "target": "ci",
  "capability": "execute",
  "parameters": { "command": "make release | sh" }
}`;

type Simulated = AnswerOf<'simulate'>;

interface Answers {
  readonly before: Simulated;
  /** With the policies that are tried out. */
  readonly after?: Simulated;
  /** Why the gateway was asked; absent where the browser decided. */
  readonly gateway?: string;
}

/** Delays after the last key: until the engine decides, and until the gateway decides if it must. */
const restMs = 100;
const askedAfterMs = 400;

interface PlaygroundProps {
  readonly api: Api;
  readonly tenant: string;
  /** Undefined while no policies are loaded. */
  readonly draft: Draft | undefined;
}

export function Playground({ api, tenant, draft }: PlaygroundProps) {
  const [text, setText] = useState(example);
  const [version, setVersion] = useState('');
  const [answers, setAnswers] = useState<Answers | undefined>();
  const [fault, setFault] = useState<string | undefined>();
  const asked = useRef(0);
  const engine = useEngine(draft?.of, tenant);
  const evaluate = async () => {
    const mine = ++asked.current;
    const last = () => mine === asked.current;
    try {
      const call = parsed('The call is', text);
      const tool_policies = draft && parsed('The policies are', draft.text);
      const calls = Array.isArray(call) ? call : [call];
      const ask = (more: object) => api.post<'simulate'>('simulate', { calls, explain: true, ...more });
      const evaluated = engine && (await engine.evaluate({ calls, policies: tool_policies }));
      if (!last()) return;
      if (evaluated && 'fault' in evaluated) throw new Error(evaluated.fault);
      if (evaluated && 'before' in evaluated) setAnswers(evaluated);
      else {
        if (draft) await new Promise((done) => setTimeout(done, askedAfterMs - restMs));
        if (!last()) return;
        const before = await ask(version === '' || draft ? {} : { version: Number(version) });
        const after = draft && (await ask({ tool_policies }));
        if (!last()) return;
        setAnswers({ before, ...(after && { after }), ...(evaluated && { gateway: evaluated.gateway }) });
      }
      setFault(undefined);
    } catch (cause) {
      if (!last()) return;
      setFault(cause instanceof SyntaxError ? cause.message : faultText(cause));
      setAnswers(undefined);
    }
  };
  // While policies are tried out each change of either text is answered.
  useEffect(() => {
    if (draft === undefined) return;
    const timer = setTimeout(evaluate, restMs);
    return () => clearTimeout(timer);
  }, [draft?.text, draft?.of, text]);
  return (
    <section>
      <h2>Playground</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setAnswers(undefined);
          evaluate();
        }}
      >
        <Recorded api={api} take={setText} />
        <label for="call">A call, or a list of calls (JSON)</label>
        <textarea
          id="call"
          class="code"
          rows={8}
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        {draft === undefined && (
          <>
            <label for="version">Policy version (empty: the one in force)</label>
            <input
              id="version"
              inputMode="numeric"
              pattern="[0-9]*"
              autoComplete="off"
              value={version}
              onInput={(event) => setVersion(event.currentTarget.value.trim())}
            />
          </>
        )}
        <button type="submit">Evaluate</button>
      </form>
      <div role="status">
        {fault !== undefined && (
          <Notice kind="bad">
            <Text of={fault} />
          </Notice>
        )}
        {answers && <Results {...answers} />}
        {answers?.after && (
          <p class="quiet">
            {answers.gateway === undefined ? 'Decided in this browser.' : `Decided by the gateway. ${answers.gateway}`}
          </p>
        )}
      </div>
      {answers?.after?.diff && (
        <section>
          <h3>What the change decides otherwise, for every call</h3>
          <Decided of={answers.after.diff} />
          {answers.after.warnings?.map((warning) => (
            <Notice key={warning} kind="warn">
              <Text of={warning} />
            </Notice>
          ))}
        </section>
      )}
    </section>
  );
}

/** The engine over a stored version, in a worker that ends with the page. */
function useEngine(of: Draft['of'] | undefined, tenant: string): EngineClient | undefined {
  const engine = useMemo(() => of && engineClient({ ...of, tenant }), [of, tenant]);
  useEffect(() => () => engine?.end(), [engine]);
  return engine;
}

/** @throws SyntaxError that says which text is meant. */
function parsed(what: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SyntaxError(`${what} not JSON: ${(cause as Error).message}`);
  }
}

const Results = ({ before, after }: Answers) => (
  <>
    {before.results.map((result, at) => {
      const tried = after?.results[at];
      return (
        <section key={at}>
          {tried && <h3>In force, version {before.policy_version}</h3>}
          <Result of={result} version={before.policy_version} />
          {tried && (
            <>
              <h3>With the change</h3>
              <Result of={tried} />
            </>
          )}
        </section>
      );
    })}
  </>
);

interface ResultProps {
  readonly of: Simulated['results'][number];
  /** Absent for policies that are not stored. */
  readonly version?: number;
}

const Result = ({ of, version }: ResultProps) => {
  const { decision, matched_rule, place, policy, reason, needs, suggested_alternative, trace } = of;
  return (
    <>
      <Facts>
        <Fact name="Decision">
          <Badge of={decision} />
        </Fact>
        <Fact name="Rule">
          <Code of={matched_rule} />
          {place && (
            <>
              {' '}
              at <Code of={place} />
            </>
          )}{' '}
          of <Text of={policy} />
          {version !== undefined && `, version ${version}`}
        </Fact>
        {reason && (
          <Fact name="Reason">
            <Text of={reason} />
          </Fact>
        )}
        {needs && (
          <Fact name="Needs">
            <Text of={needs} />
          </Fact>
        )}
        {suggested_alternative && (
          <Fact name="Instead">
            <Text of={suggested_alternative} />
          </Fact>
        )}
      </Facts>
      {trace && <Trace trace={trace} effects={of.effects ?? []} unclear={of.unclear} />}
    </>
  );
};
