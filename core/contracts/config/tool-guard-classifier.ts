/** Classifier that checks text from MCP servers after the tool guard's rules [guard.classifier]. */
import * as z from 'zod';

const common = {
  looks_at: z
    .array(z.enum(['results', 'definitions']))
    .min(1)
    .default(['results', 'definitions'])
    .meta({
      description:
        'What it reads: results of tools and resources (not prompts), and definitions of tools that are new or have changed.',
    }),
  threshold: z
    .number()
    .min(0.01)
    .max(1)
    .default(0.5)
    .meta({ description: 'Score from which a text is a finding of kind classified: a number from 0.01 to 1.' }),
  timeout_ms: z
    .int()
    .min(10)
    .max(60_000)
    .default(2_000)
    .meta({ description: 'Longest duration of one look, in milliseconds, 10 to 60,000.' }),
  max_bytes: z.int().min(1_024).max(1_048_576).default(65_536).meta({
    description:
      'Most bytes of UTF-8 that one look reads, 1,024 to 1,048,576. A longer text is not looked at, and is what on_error says.',
  }),
  on_error: z.enum(['refuse', 'log']).default('refuse').meta({
    description:
      'What an error, a time-out, a spent budget, a text that is too long or an answer in another form comes to: refuse withholds the result and lists none of the definitions, log records it and lets the text pass.',
  }),
};

export const toolGuardClassifier = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('wasm').meta({ description: 'Kind of the classifier.' }),
      filter: z.string().min(1).meta({
        description:
          'Name of a filter of type wasm in policies.output or policies.input; its module looks at the text.',
      }),
      ...common,
    }),
    z.strictObject({
      type: z.literal('model').meta({ description: 'Kind of the classifier.' }),
      model: z.string().min(1).meta({
        description:
          "Model that scores the text, by a name that a route or a provider serves. Its calls count against the limits and budgets of the caller's tenant and key.",
      }),
      ...common,
    }),
  ])
  .optional()
  .meta({
    description:
      'A classifier that looks at a text after the rules of the guard have let it pass. Without it none is asked.',
  });

export type ClassifierSettings = NonNullable<z.infer<typeof toolGuardClassifier>>;
