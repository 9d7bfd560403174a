import { parseSlackInteraction, slackSignature, verifySlackRequest } from '../interaction.ts';

/** The example from Slack's documentation. */
const documented = {
  secret: '8f742231b10e8888abcd99yyyzzz85a5',
  timestamp: '1531420618',
  signature: 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
  rawBody: Buffer.from(
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V' +
      '&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=' +
      '&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN' +
      '&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
  ),
};
const nowSeconds = Number(documented.timestamp);
const request = { ...documented, secrets: [documented.secret], nowSeconds };

describe('the signature of a Slack request', () => {
  test("[slack.confirmed] Slack's documented example is accepted, up to five minutes either way", () => {
    for (const seconds of [0, 300, -300]) {
      expect(() => verifySlackRequest({ ...request, nowSeconds: nowSeconds + seconds })).not.toThrow();
    }
  });

  test('either secret is accepted during a rotation', () => {
    expect(() => verifySlackRequest({ ...request, secrets: ['new', documented.secret] })).not.toThrow();
  });

  test.each([
    ['older than five minutes', { nowSeconds: nowSeconds + 301 }],
    ['of the future', { nowSeconds: nowSeconds - 301 }],
    ['no number', { timestamp: 'soon' }],
    ['missing', { timestamp: '' }],
    ['in another notation', { timestamp: '1.531420618e9' }],
  ])('a timestamp that is %s is refused, whatever the signature', (_, over) => {
    expect(() => verifySlackRequest({ ...request, ...over })).toThrow(
      expect.objectContaining({ code: 'authentication_error' }),
    );
  });

  test.each([
    ['another secret', { secrets: ['other'] }],
    ['no secret', { secrets: [] }],
    ['another body', { rawBody: Buffer.concat([documented.rawBody, Buffer.from('&')]) }],
    ['a time the signature does not cover', { timestamp: String(nowSeconds + 1) }],
    ['an empty signature', { signature: '' }],
    ['a cut signature', { signature: documented.signature.slice(0, -1) }],
    ['upper case', { signature: documented.signature.toUpperCase() }],
  ])('%s is refused', (_, over) => {
    expect(() => verifySlackRequest({ ...request, ...over })).toThrow(
      expect.objectContaining({ code: 'authentication_error' }),
    );
  });

  test('covers the raw bytes, even if they are not UTF-8', () => {
    const [one, other] = [Buffer.from([0xff]), Buffer.from([0xfe])];
    expect(slackSignature('s', '1', one)).not.toBe(slackSignature('s', '1', other));
  });
});

const envelope_id = '01890000-0000-7000-8000-000000000001';
const payload = {
  type: 'block_actions',
  team: { id: 'T01', domain: 'acme' },
  user: { id: 'U01', username: 'alice' },
  api_app_id: 'A01',
  trigger_id: '13345224609.738474920.8088930838d88f008e0',
  response_url: 'https://hooks.slack.com/actions/T01/1/x',
  actions: [
    { type: 'button', block_id: 'b', action_id: 'approve', value: envelope_id, action_ts: '1548426417.840180' },
  ],
};
const bodyOf = (value: object) => Buffer.from(new URLSearchParams({ payload: JSON.stringify(value) }).toString());
const parse = (over: object, apiUrl = 'https://slack.com/api') =>
  parseSlackInteraction(bodyOf({ ...payload, ...over }), apiUrl);

describe('a click', () => {
  test('the caller, action and response URL are read; unknown fields are ignored', () => {
    expect(parse({})).toEqual({
      step: 'click',
      team: 'T01',
      user: 'U01',
      verdict: 'approve',
      trigger_id: payload.trigger_id,
      envelope_id,
      callback_id: '13345224609.738474920.8088930838d88f008e0#1548426417.840180',
      response_url: payload.response_url,
    });
  });

  test.each([
    ['team', { team: { id: 'T' } }],
    ['user', { user: { id: 'U' } }],
    ['workspace of a user', { user: { id: 'U', team_id: 'T' } }],
    ['trigger', { trigger_id: '1' }],
    ['time', { actions: [{ ...payload.actions[0], action_ts: '1' }] }],
  ])('accepts any %s with at least one character', (_, over) => {
    expect(() => parse(over)).not.toThrow();
  });

  test('[slack.confirmed] without a trigger or a time is identified by its text, and without a response URL gets no reply', () => {
    const { action_ts: _, ...action } = payload.actions[0]!;
    const bare = { trigger_id: undefined, response_url: undefined, actions: [action] };
    const click = parse(bare);
    const { callback_id } = click;
    expect(click).toEqual({
      step: 'click',
      team: 'T01',
      user: 'U01',
      verdict: 'approve',
      envelope_id,
      callback_id,
    });
    expect(click.callback_id).toMatch(/^[0-9a-f]{64}$/);
    expect(parse(bare)).toEqual(click);
    expect(parse({ ...bare, user: { id: 'U02' } }).callback_id).not.toBe(click.callback_id);
  });

  test('that is refused is reported with the actual and the allowed values', () => {
    expect(() => parse({ actions: [{ ...payload.actions[0], action_id: 'approve_all' }] })).toThrow(
      'actions.0.action_id: found "approve_all", allowed approve, deny, confirmed_approve, confirmed_deny.',
    );
  });

  test.each([
    ['an empty team', { team: { id: '' } }],
    ['an empty user', { user: { id: '' } }],
    ['an empty time', { actions: [{ ...payload.actions[0], action_ts: '' }] }],
    ['another type', { type: 'view_closed' }],
    ['a dialog without its view', { type: 'view_submission' }],
    ['no user', { user: undefined }],
    ['an unknown button', { actions: [{ ...payload.actions[0], action_id: 'approve_all' }] }],
    ['a value that is no envelope_id', { actions: [{ ...payload.actions[0], value: '../x' }] }],
    ['two actions', { actions: [payload.actions[0], payload.actions[0]] }],
    ['no action', { actions: [] }],
    ['no trigger', { trigger_id: '' }],
  ])('with %s is refused', (_, over) => {
    expect(() => parse(over)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  test.each([
    ['', 'no payload'],
    ['payload=%7B%7D&payload=%7B%7D', 'two payloads'],
    ['payload=%7B', 'broken JSON'],
    ['payload=%7B%22type%22%3A1%2C%22type%22%3A2%7D', 'a key twice'],
  ])('a body %p is refused: %s', (body) => {
    expect(() => parseSlackInteraction(Buffer.from(body), 'https://slack.com/api')).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });

  test.each([
    ['https://hooks.slack.com/actions/1', 'https://slack.com/api'],
    ['https://slack.com/x', 'https://slack.com/api'],
    ['https://hooks.slack-gov.com/x', 'https://slack-gov.com/api'],
    ['http://127.0.0.1:9000/response', 'http://127.0.0.1:9000/api'],
  ])('accepts the response URL %s when the API is %s', (response_url, apiUrl) => {
    expect(parse({ response_url }, apiUrl).response_url).toBe(response_url);
  });

  test.each([
    ['http://hooks.slack.com/x', 'https://slack.com/api'],
    ['https://hooks.slack.com.evil.example/x', 'https://slack.com/api'],
    ['https://hooks.slack.com@evil.example/x', 'https://slack.com/api'],
    ['https://hooks.slack.com:8443/x', 'https://slack.com/api'],
    ['http://169.254.169.254/latest', 'https://slack.com/api'],
    ['http://127.0.0.1:9000/x', 'https://slack.com/api'],
    ['http://127.0.0.1:9001/x', 'http://127.0.0.1:9000/api'],
    ['http://slack.internal/x', 'http://slack.internal/api'],
    ['http://127.0.0.1.evil.example/x', 'http://127.0.0.1.evil.example/api'],
    ['file:///etc/passwd', 'https://slack.com/api'],
  ])('rejects the response URL %s when the API is %s', (response_url, apiUrl) => {
    expect(() => parse({ response_url }, apiUrl)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});
