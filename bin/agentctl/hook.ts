/** `hook claude-code`: a coding agent asks before each tool call; the answer is the policy's [cli.hook]. */
import { Option } from 'commander';
import { parseStrictBytes } from '#core/kernel/json.ts';
import { fileBytes } from './call-options.ts';
import { actsInside, callOfTool } from './coding-tool.ts';
import { addCommand, addGroup, type Cli, type Parent } from './command.ts';
import { Failure } from './failure.ts';
import { callIdOf, isOutcome, outcomeOf } from './hook-outcome.ts';
import { type Fields, fields, text } from './json-fields.ts';

type Permission = 'allow' | 'deny' | 'ask';

interface HookOptions {
  readonly review: 'deny' | 'ask';
}

interface Answer {
  readonly permission: Permission;
  readonly reason: string;
}

export function addHook(parent: Parent): void {
  const group = addGroup(parent, 'hook', 'Answer the hooks of coding agents');
  addCommand<HookOptions>(group, {
    usage: 'claude-code',
    summary:
      'Decide the tool call of a PreToolUse event on stdin, or record the outcome of a PostToolUse event; whatever cannot be decided is denied',
    examples: ['hook claude-code < event.json', 'hook claude-code --review ask < event.json'],
    options: (command) =>
      command.addOption(
        new Option('--review <how>', 'a call that waits for approval: refuse it, or ask the person at the terminal')
          .choices(['deny', 'ask'])
          .default('deny'),
      ),
    run: async (cli, options) => {
      const answer = await documentOf(cli, options);
      if (answer) cli.out.message(JSON.stringify(answer));
      // A hook that ends with 1 would let the tool run.
      return 'positive';
    },
  });
}

/** What the agent is answered: a decision before a tool runs, and after it at most a message that its outcome is not recorded. */
async function documentOf(cli: Cli, options: HookOptions): Promise<object | undefined> {
  let event: Fields = {};
  try {
    event = fields(parseStrictBytes(fileBytes('-')));
    if (isOutcome(event)) return await reportOutcome(cli, event);
    const answer = await answerOf(cli, event, options);
    return answer && hookDocument(answer);
  } catch (fault) {
    const { message } = fault as Error;
    if (isOutcome(event)) return { systemMessage: `The outcome of the call is not in evidence: ${message}` };
    const reason = `The gateway did not decide this call: ${message}. Nothing was run.`;
    return hookDocument({ permission: 'deny', reason });
  }
}

const hookDocument = ({ permission, reason }: Answer) => ({
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: permission,
    permissionDecisionReason: reason,
  },
});

/** Undefined for tools that act inside the agent only. */
async function answerOf(cli: Cli, event: Fields, { review }: HookOptions): Promise<Answer | undefined> {
  const name = text(event.hook_event_name);
  if (name !== 'PreToolUse')
    throw new Error(
      `the event is ${JSON.stringify(name ?? null)}; allowed are PreToolUse, PostToolUse and PostToolUseFailure`,
    );
  const body = bodyOf(event);
  if (!body) return undefined;
  const answer = await cli.api().call('testAction', { body });
  return verdict(fields(answer.json), review);
}

/** @throws Error naming the member of the event that is missing. */
function bodyOf(event: Fields): unknown {
  const [tool, session, cwd] = [text(event.tool_name), text(event.session_id), text(event.cwd)];
  if (!tool || !session || !cwd) throw new Error('the event needs tool_name, session_id and cwd as text');
  const input = event.tool_input;
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new Error('tool_input of the event must be an object');
  const workspace = process.env.CLAUDE_PROJECT_DIR || cwd;
  const call = callOfTool(tool, fields(input), { workspace, cwd });
  const call_id = callIdOf(event);
  return call && { ...call, actor: { agent: 'claude-code', session }, decide_only: true, ...(call_id && { call_id }) };
}

/** A call that the gateway did not allow has no outcome: the person at the terminal did, or the hook was not there. */
async function reportOutcome(cli: Cli, event: Fields): Promise<undefined> {
  const call_id = callIdOf(event);
  if (call_id === undefined || actsInside(text(event.tool_name) ?? '')) return undefined;
  try {
    await cli.api().call('reportOutcome', { body: { call_id, ...outcomeOf(event) } });
  } catch (fault) {
    if (!(fault instanceof Failure) || !/^not_found:/.test(fault.message)) throw fault;
  }
  return undefined;
}

function verdict(answer: Fields, review: HookOptions['review']): Answer {
  const error = fields(answer.error);
  const data = fields(error.data);
  const rule = `rule ${text(answer.matched_rule) ?? 'unknown'}, envelope ${text(answer.envelope_id) ?? 'unknown'}`;
  if (answer.decision === 'allow') return { permission: 'allow', reason: `Allowed by ${rule}.` };
  const why = text(data.reason) ?? text(error.message) ?? 'The policy does not allow it.';
  if (answer.decision === 'review') {
    const where = text(data.approval_url);
    const next = `A person decides it${where ? ` at ${where}` : ''}; once it is approved, make the same call again.`;
    return { permission: review, reason: `${why} ${next} (${rule})` };
  }
  const instead = text(data.suggested_alternative);
  return { permission: 'deny', reason: `${why}${instead ? ` ${instead}` : ''} (${rule})` };
}
