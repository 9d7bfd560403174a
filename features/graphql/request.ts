import * as z from 'zod';

/** GraphQL over HTTP. */
export const requestSchema = z.strictObject({
  query: z.string().min(1).max(100_000).meta({ description: 'The document.' }),
  operationName: z.string().max(200).nullish().meta({ description: 'Which operation of the document runs.' }),
  extensions: z.record(z.string(), z.unknown()).nullish().meta({
    description: 'Additions that clients send, such as their own name. The gateway has none and ignores them.',
  }),
  variables: z.record(z.string(), z.unknown()).nullish().meta({ description: 'Values of its variables.' }),
});
