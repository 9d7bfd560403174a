/**
 * The playground: the decision on a call and its reasons, under the active policies and under the draft. Nothing is
 * recorded until the change is saved [console.playground].
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { AnswerOf } from '#core/operations/endpoints.ts';
import { type Api, faultText } from '../api.ts';
import { Button } from '../design/button.tsx';
import { Field } from '../design/field.tsx';
import { Notice } from '../design/states.tsx';
import { Text } from '../design/text.tsx';
import type { Draft } from './draft.ts';
import { type EngineClient, engineClient } from './engine-client.ts';
import { RecordedCalls } from './recorded.tsx';
import { Result } from './result.tsx';

/** Example calls; the page opens with the first one. */
const examples: readonly (readonly [name: string, call: object])[] = [
  [
    'A command',
    {
      protocol: 'shell',
      tool: 'shell.run',
      target: 'ci',
      capability: 'execute',
      parameters: { command: 'make release | sh' },
    },
  ],
  [
    'A pull request',
    {
      protocol: 'git',
      tool: 'scm.create_pull_request',
      target: 'acme/web',
      capability: 'write',
      parameters: { title: 'Fix login', head: 'fix', base: 'main' },
    },
  ],
  [
    'An HTTP request',
    {
      protocol: 'http',
      tool: 'http.post',
      target: 'https://api.example.com/v1/orders',
      capability: 'write',
      parameters: {},
    },
  ],
  [
    'A tool of an MCP server',
    {
      protocol: 'mcp',
      tool: 'edit_file',
      target: 'src/login.ts',
      capability: 'write',
      parameters: { path: 'src/login.ts' },
    },
  ],
];
const callJson = (call: object): string => JSON.stringify(call, null, 2);

type SimulationResult = AnswerOf<'simulate'>;

interface Answers {
  readonly before: SimulationResult;
  /** Decisions under the draft policies. */
  readonly after?: SimulationResult;
  /** Reason why the gateway made the decision; absent if the browser made it. */
  readonly gateway?: string;
}

/** Delays after the last keystroke: first until the engine decides, then, if needed, until the gateway does. */
const restMs = 100;
const askedAfterMs = 400;

interface PlaygroundProps {
  readonly api: Api;
  readonly tenant: string;
  /** Undefined while no policies are loaded. */
  readonly draft: Draft | undefined;
  readonly setTried: (tried: DraftTrial) => void;
}

/** Result of trying the draft. */
export interface DraftTrial {
  /** Reason why the draft is refused. */
  readonly fault?: string;
  /** Differences between the draft and the active policy. */
  readonly diff?: NonNullable<SimulationResult['diff']>;
  readonly warnings?: readonly string[];
}

export function Playground({ api, tenant, draft, setTried }: PlaygroundProps) {
  const [text, setText] = useState(callJson(examples[0]![1]));
  const [version, setVersion] = useState('');
  const [answers, setAnswers] = useState<Answers | undefined>();
  const [fault, setFault] = useState<string | undefined>();
  const asked = useRef(0);
  const engine = useEngine(draft?.of, tenant);
  const evaluate = async () => {
    const mine = ++asked.current;
    const last = () => mine === asked.current;
    try {
      const call = parseJson('The call is', text);
      const tool_policies = draft?.read.policies;
      if (draft && tool_policies === undefined) return;
      const calls = Array.isArray(call) ? call : [call];
      const ask = (more: object) => api.post<'simulate'>('simulate', { calls, explain: true, ...more });
      const evaluated = engine && (await engine.evaluate({ calls, policies: tool_policies }));
      if (!last()) return;
      if (evaluated && 'fault' in evaluated) throw new Error(evaluated.fault);
      const answered = (found: Answers) => {
        setAnswers(found);
        const { diff, warnings } = found.after ?? {};
        setTried({ ...(diff && { diff }), ...(warnings && { warnings }) });
      };
      if (evaluated && 'before' in evaluated) answered(evaluated);
      else {
        if (draft) await new Promise((done) => setTimeout(done, askedAfterMs - restMs));
        if (!last()) return;
        const before = await ask(version === '' || draft ? {} : { version: Number(version) });
        const after = draft && (await ask({ tool_policies }));
        if (!last()) return;
        answered({ before, ...(after && { after }), ...(evaluated && { gateway: evaluated.gateway }) });
      }
      setFault(undefined);
    } catch (cause) {
      if (!last()) return;
      const why = cause instanceof SyntaxError ? cause.message : faultText(cause);
      const ofDraft = draft !== undefined && /(^|\n)tool_policies/.test(why);
      setTried(ofDraft ? { fault: why } : {});
      setFault(ofDraft ? 'The draft has errors: its editor marks them.' : why);
      setAnswers(undefined);
    }
  };
  // With a draft, every change to either text triggers a new evaluation.
  useEffect(() => {
    if (draft === undefined) return;
    const timer = setTimeout(evaluate, restMs);
    return () => clearTimeout(timer);
  }, [draft?.read, text]);
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
        <RecordedCalls api={api} take={setText} />
        <p class="buttons">
          {examples.map(([name, call]) => (
            <Button key={name} small onClick={() => setText(callJson(call))}>
              {name}
            </Button>
          ))}
        </p>
        <Field label="A call, or a list of calls (JSON)">
          {(tied) => (
            <textarea
              {...tied}
              class="code"
              rows={9}
              spellcheck={false}
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          )}
        </Field>
        {draft === undefined && (
          <Field label="Policy version (empty: the one in force)">
            {(tied) => (
              <input
                {...tied}
                inputMode="numeric"
                pattern="[0-9]*"
                autoComplete="off"
                value={version}
                onInput={(event) => setVersion(event.currentTarget.value.trim())}
              />
            )}
          </Field>
        )}
        <Button type="submit" tone={draft === undefined ? 'primary' : undefined}>
          Evaluate
        </Button>
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
    </section>
  );
}

/** Returns the engine for a stored version, in a worker that ends with the page. */
function useEngine(of: Draft['of'] | undefined, tenant: string): EngineClient | undefined {
  const engine = useMemo(() => of && engineClient({ ...of, tenant }), [of, tenant]);
  useEffect(() => () => engine?.end(), [engine]);
  return engine;
}

/** @throws SyntaxError naming the invalid text. */
function parseJson(what: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SyntaxError(`${what} not JSON: ${(cause as Error).message}`);
  }
}

const Results = ({ before, after }: Answers) => (
  <div class="verdicts">
    {before.results.map((result, at) => {
      const tried = after?.results[at];
      const version = `Version ${before.policy_version}`;
      return (
        <div key={at} class="verdicts">
          {tried && <Result title="With the change" of={tried} />}
          {tried && isSameResult(tried, result) ? (
            <p class="quiet">{version} decides this call in the same way.</p>
          ) : (
            <Result title={tried ? `${version}, in force` : version} of={result} />
          )}
        </div>
      );
    })}
  </div>
);

const isSameResult = (a: SimulationResult['results'][number], b: SimulationResult['results'][number]): boolean =>
  a.decision === b.decision && a.matched_rule === b.matched_rule && a.reason === b.reason;
