/**
 * Tools, resources, prompts, elicitations and signed state that the conformance suite requires of a 2026-07-28 server.
 */
import { createHmac } from 'node:crypto';
import {
  CLIENT_CAPABILITIES_META_KEY,
  completable,
  fromJsonSchema,
  inputRequired,
  type McpServer,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { messagesOf, results, schemas } from './mcp-conformance.ts';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });
const says = (words: string) => ({ role: 'user' as const, content: { type: 'text' as const, text: words } });

const question = (message: string, name: string) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [name]: { type: 'string' } }, required: [name] },
  });
const sample = inputRequired.createMessage({
  messages: [{ role: 'user', content: { type: 'text', text: 'What is the capital of France?' } }],
  maxTokens: 100,
});

/** Returns a state that only this server can create: its round, signed. */
const stateOf = (round: string): string => `${round}.${createHmac('sha256', 'fixture').update(round).digest('hex')}`;

/** Returns the round of a state. @throws Error if the state was altered. */
export function verifyState(state: string): string {
  const round = state.split('.')[0]!;
  if (state !== stateOf(round)) throw new Error('the state was altered');
  return round;
}

const roundOf = (ctx: ServerContext): string => ctx.mcpReq.requestState<string>() ?? '0';

export function offerConformance(server: McpServer): void {
  plainTools(server);
  askingTools(server);
  resourcesAndPrompts(server);
}

function plainTools(server: McpServer): void {
  const tool = (name: string, run: (ctx: ServerContext) => object | Promise<object>) =>
    server.registerTool(name, { description: name, inputSchema: z.object({}) }, (_args, ctx) => run(ctx) as never);

  for (const [name, result] of Object.entries(results)) tool(name, () => result);
  tool('test_tool_with_progress', async (ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      const params = { progressToken: progressToken!, progress, total: 100 };
      await ctx.mcpReq.notify({ method: 'notifications/progress', params });
    }
    return text(`${progressToken}`);
  });
  tool('test_logging_tool', async (ctx) => {
    await ctx.mcpReq.log('info', 'said only to those who asked');
    return text('logged');
  });
  tool('test_missing_capability', () => inputRequired({ inputRequests: { greeting: sample } }));
  server.registerTool(
    'json_schema_2020_12_tool',
    {
      description: 'Tool with JSON Schema 2020-12 features',
      inputSchema: fromJsonSchema(schemas.json_schema_2020_12!),
    },
    () => text('fine'),
  );
  server.registerTool(
    'test_headers',
    {
      description: 'Repeats an argument in a header',
      inputSchema: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }),
    },
    ({ region }) => text(region),
  );
}

function askingTools(server: McpServer): void {
  const tool = (name: string, run: (ctx: ServerContext, answers: Record<string, unknown>) => object) =>
    server.registerTool(
      name,
      { description: name, inputSchema: z.object({}) },
      (_args, ctx) => run(ctx, ctx.mcpReq.inputResponses ?? {}) as never,
    );
  const asking = (name: string, key: string, request: () => never) =>
    tool(name, (_ctx, answers) =>
      key in answers
        ? text(`heard ${JSON.stringify(answers[key])}`)
        : inputRequired({ inputRequests: { [key]: request() } }),
    );

  asking('test_input_required_result_elicitation', 'user_name', () => question('What is your name?', 'name') as never);
  asking('test_streaming_elicitation', 'user_name', () => question('What is your name?', 'name') as never);
  asking('test_input_required_result_sampling', 'capital_question', () => sample as never);
  asking('test_input_required_result_list_roots', 'client_roots', () => inputRequired.listRoots() as never);
  tool('test_input_required_result_multiple_inputs', (_ctx, answers) =>
    ['user_name', 'greeting', 'client_roots'].every((key) => key in answers)
      ? text('heard all')
      : inputRequired({
          inputRequests: {
            user_name: question('What is your name?', 'name'),
            greeting: sample,
            client_roots: inputRequired.listRoots(),
          },
          requestState: stateOf('1'),
        }),
  );
  for (const name of ['test_input_required_result_request_state', 'test_input_required_result_tampered_state']) {
    tool(name, (ctx) =>
      roundOf(ctx) === '0'
        ? inputRequired({ inputRequests: { confirm: question('Please confirm', 'ok') }, requestState: stateOf('1') })
        : text('state-ok'),
    );
  }
  tool('test_input_required_result_multi_round', (ctx) => {
    const round = roundOf(ctx);
    if (round === '2') return text('heard both');
    const [key, message, next] = round === '0' ? ['step1', 'What is your name?', '1'] : ['step2', 'Which colour?', '2'];
    return inputRequired({ inputRequests: { [key!]: question(message!, 'answer') }, requestState: stateOf(next!) });
  });
  tool('test_input_required_result_capabilities', (ctx) => {
    const envelope = (ctx.mcpReq.envelope ?? {}) as Readonly<Record<string, Record<string, unknown>>>;
    const can = envelope[CLIENT_CAPABILITIES_META_KEY] ?? {};
    return inputRequired({
      inputRequests: {
        ...(can.elicitation !== undefined && { user_name: question('What is your name?', 'name') }),
        ...(can.sampling !== undefined && { greeting: sample }),
      },
    });
  });
}

function resourcesAndPrompts(server: McpServer): void {
  server.registerResource('binary', 'test://static-binary', { mimeType: 'image/png' }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'image/png', blob: png }],
  }));
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { mimeType: 'application/json' },
    (uri, { id }) => ({
      contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true }) }],
    }),
  );
  const prompt = (name: string, argsSchema: z.ZodRawShape) =>
    server.registerPrompt(name, { description: name, argsSchema: z.object(argsSchema) }, (args) => ({
      messages: messagesOf(name, args),
    }));
  const argument = () => completable(z.string(), (value) => [`${value}-completed`]);
  prompt('test_simple_prompt', {});
  prompt('test_prompt_with_arguments', { arg1: argument(), arg2: argument() });
  prompt('test_prompt_with_embedded_resource', { resourceUri: z.string() });
  prompt('test_prompt_with_image', {});
  server.registerPrompt('test_input_required_result_prompt', { description: 'A prompt that asks back' }, (ctx) =>
    ctx.mcpReq.inputResponses?.user_context
      ? { messages: [says('With context.')] }
      : inputRequired({ inputRequests: { user_context: question('What context should the prompt use?', 'context') } }),
  );
}
