/** Where a fault is, as the caller of chat completions named it. */
import { memberAtFault } from '#core/dialects/translate/member-path.ts';
import { refusalFault } from '#core/providers/refusal.ts';
import { faultToError } from '#core/routing/fault-to-error.ts';

test.each([
  ['output_config.format.schema: Unsupported keyword minItems', 'response_format.json_schema.schema'],
  ['tools.0.custom.input_schema: JSON schema is invalid', 'tools[0].function.parameters'],
  ['tools.3.input_schema.properties.a: bad', 'tools[3].function.parameters'],
  ['tools.1.custom.name: String should match', 'tools[1].function.name'],
  ['messages.2.content.0.text: Field required', 'messages'],
  ['stop_sequences.0: each must be non-empty', 'stop'],
  ['temperature: range 0..1', 'temperature'],
  ['Your credit balance is low', undefined],
  ['Error: see https://docs.example: now', undefined],
])('[errors.param] "%s" is about %s', (message, param) => {
  expect(memberAtFault(message)).toBe(param);
});

test('[errors.param] the caller gets the member and the words of the vendor', () => {
  const message = 'tools.0.custom.input_schema: JSON schema is invalid';
  const error = faultToError(refusalFault({ provider: 'p', status: 400, message }), 'r1');
  expect(error.toBody()).toMatchObject({
    error: {
      type: 'invalid_request',
      param: 'tools[0].function.parameters',
      message: expect.stringContaining(message),
    },
  });
  const named = faultToError(refusalFault({ provider: 'p', status: 400, message: 'bad', param: 'messages[0].role' }));
  expect(named.toBody()).toMatchObject({ error: { param: 'messages[0].role' } });
});
