/** Actions of the tool guard, which checks text from MCP servers. */
import * as z from 'zod';
import { toolGuardClassifier } from './tool-guard-classifier.ts';

const resultAction = z.enum(['log', 'mark', 'strip', 'block']);
const argumentAction = z.enum(['log', 'review', 'block']);
const definitionAction = z.enum(['log', 'review', 'hide']);

export type ResultAction = z.infer<typeof resultAction>;
export type ArgumentAction = z.infer<typeof argumentAction>;

/** Guard mode for one upstream. */
export const guardMode = z.enum(['on', 'log', 'off']).default('on').meta({
  description:
    'Whether the tool guard checks text from the server: on as tool_guard is configured, log records findings without acting on them, off not at all.',
});

export const toolGuard = z
  .strictObject({
    classifier: toolGuardClassifier,
    results: z
      .strictObject({
        instruction: resultAction.default('mark').meta({ description: 'Visible words that instruct the model.' }),
        hidden_instruction: resultAction.default('strip').meta({
          description: 'Words that instruct the model in comments, alternative text and elements that are not shown.',
        }),
        encoded_instruction: resultAction.default('strip').meta({
          description:
            'Words that instruct the model in base64, hexadecimal, percent-encoding, character references or escapes.',
        }),
        invisible_text: resultAction
          .default('strip')
          .meta({ description: 'Invisible characters that carry text, and direction overrides.' }),
        false_error: resultAction
          .default('mark')
          .meta({ description: 'Errors that ask the model for secrets, more rights or less protection.' }),
        data_link: resultAction
          .default('strip')
          .meta({ description: 'Links and pictures whose address is to be filled with data of the conversation.' }),
        terminal_escape: resultAction.default('strip').meta({
          description:
            'Terminal sequences that move the cursor, erase or conceal text, or query the terminal. Colours pass.',
        }),
        credential: z.enum(['strip', 'block']).default('strip').meta({
          description: 'Tokens and keys of known formats. They never reach a client; block withholds the whole result.',
        }),
        asks_secret: z.enum(['log', 'block']).default('block').meta({
          description: 'Requests of a server to the person (elicitation) for passwords, keys or tokens.',
        }),
        asks_context: z.enum(['log', 'strip', 'block']).default('strip').meta({
          description:
            'Requests of a server for a reply from the model (sampling) that ask for the context of the conversation: strip asks without it.',
        }),
        classified: resultAction.default('mark').meta({
          description:
            'Text that the classifier scores at its threshold or above: strip removes it, and withholds what it cannot remove.',
        }),
      })
      .prefault({})
      .meta({
        description:
          'Action for each kind found in a result, resource or prompt: log records it, mark puts a warning for the model in front of it, strip removes it, block withholds the result.',
      }),
    definitions: z
      .strictObject({
        instruction: definitionAction
          .default('review')
          .meta({ description: 'Descriptions that instruct the model rather than describe the tool.' }),
        invisible_text: definitionAction
          .default('review')
          .meta({ description: 'Invisible characters in names and descriptions.' }),
        lookalike_name: definitionAction
          .default('review')
          .meta({ description: 'Names with letters of other scripts that look like Latin ones.' }),
        secret_reference: definitionAction
          .default('review')
          .meta({ description: 'Text that names files with keys or credentials.' }),
        asks_context: definitionAction
          .default('review')
          .meta({ description: 'Parameters for the conversation, the system prompt or the list of tools.' }),
        asks_secret: definitionAction
          .default('log')
          .meta({ description: 'Required parameters for passwords, keys or tokens.' }),
        contradiction: definitionAction
          .default('review')
          .meta({ description: 'Annotations that declare less than the name or the schema implies.' }),
        shadowing: definitionAction.default('review').meta({
          description:
            'Names that imitate a tool of another server, and text that gives orders about a tool of another server.',
        }),
        classified: z
          .enum(['log', 'review'])
          .default('review')
          .meta({ description: 'New or changed definitions that the classifier scores at its threshold or above.' }),
      })
      .prefault({})
      .meta({
        description:
          'Action for each kind found in the definition of a tool: log records it, review makes the tool wait until a human accepts it, hide removes it.',
      }),
    chat_results: z.enum(['off', 'log', 'on']).default('off').meta({
      description:
        'Whether tool results in chat endpoint requests, from tools that the caller ran itself, are checked before the model reads them: off not at all, log records findings, on applies the action that results sets for each kind (mark is a warning, too).',
    }),
    chat_definitions: z.enum(['off', 'log', 'on']).default('off').meta({
      description:
        'Whether tool definitions in chat endpoint requests are checked before the model reads them: off not at all, log records findings, on refuses a request with a kind that definitions sets to review or hide (no human can accept it here).',
    }),
    arguments_schema: z.enum(['pass', 'refuse']).default('pass').meta({
      description:
        "Arguments of a tools/call that do not fit the tool's inputSchema (type, required, properties, additionalProperties: false, items, enum, const): pass leaves them to the server, refuse blocks the call and says what does not fit.",
    }),
    changes: z.enum(['matter', 'all']).default('matter').meta({
      description:
        'Which changes to a definition are held: matter lets corrected words, additional optional parameters and tighter annotations pass and holds new instructions, reach, secrets and looser annotations; all leaves every change to the drift setting of the upstream.',
    }),
    arguments: z
      .strictObject({
        command: argumentAction.default('review').meta({
          description: 'Shell syntax, or SQL behind a quotation mark, in names, paths, hosts and other short values.',
        }),
        template: argumentAction
          .default('review')
          .meta({ description: 'Expressions of template engines in short values.' }),
        path: argumentAction.default('review').meta({
          description: 'Paths that climb several levels, hide their steps in an encoding, or name files with keys.',
        }),
        url: argumentAction.default('review').meta({
          description: 'Addresses of cloud metadata, disguised hosts, and schemes that are not for services.',
        }),
        secret: argumentAction.default('review').meta({
          description: 'Tokens and private keys of known formats under a name that does not suggest a secret.',
        }),
        personal_data: argumentAction
          .default('log')
          .meta({ description: 'Card numbers, IBANs and social security numbers.' }),
        prompt: argumentAction.default('review').meta({ description: 'System prompts and lists of tools.' }),
        outside_roots: argumentAction.default('review').meta({
          description:
            'Paths and addresses outside of the roots that the upstream or the client declares; without roots nothing is compared.',
        }),
      })
      .prefault({})
      .meta({
        description:
          "Action for each kind found in the arguments of an MCP server's tool: log records it, review asks a human, block refuses. A stricter decision by a rule still applies.",
      }),
  })
  .prefault({})
  .meta({ description: 'The guard on text from MCP servers and in calls to them.' });

export type ToolGuard = z.infer<typeof toolGuard>;
