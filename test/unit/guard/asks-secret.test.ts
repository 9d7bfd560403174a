/** What a server may ask a person: by the names, titles and words of a form, and by an address. Harmless neighbours pass. */

import { asksSecret } from '#core/guard/asks-secret.ts';
import type { JsonObject } from '#core/kernel/json.ts';

const form = (message: string, properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  message,
  requestedSchema: { type: 'object', properties, ...more },
});
const text = { type: 'string' };
const titled = (title: string): JsonObject => form('Please complete the form', { value: { type: 'string', title } });
const described = (description: string): JsonObject => form('To go on', { v1: { type: 'string', description } });
const saying = (message: string): JsonObject => form(message, { answer: text });
const named = (name: string): JsonObject => form('Sign in', { [name]: text });

describe('by a name', () => {
  test.each([
    ...['password', 'new_password', 'passwort', 'contraseña', 'mot_de_passe', 'senha', 'пароль', '密码', 'pin', 'cvv'],
    ...['card_number', 'seed_phrase', 'mnemonic', 'verification_code', 'totp', 'api_key', 'pаssword', 'ｐassword'],
  ])('[guard.asks-secret] %s', (name) => {
    expect(asksSecret(named(name))).toBe(true);
  });

  test.each([
    ...['name', 'branch', 'key', 'code', 'country_code', 'postal_code', 'max_tokens', 'pinned', 'card', 'secretary'],
    ...['spin', 'keyboard_layout', 'recovery_plan', 'authors', 'clavecin', 'opinion'],
  ])('[guard.asks-secret] not %s', (name) => {
    expect(asksSecret(named(name))).toBe(false);
  });
});

describe('by its words', () => {
  test.each<[string, JsonObject]>([
    ['a title', titled('Your password')],
    ['a title with what it is for', titled('Password for the vault')],
    ['a description', described('Your GitHub personal access token')],
    ['a description that asks', described('Paste the private key here')],
    ['a message', saying('Please enter your GitHub password to continue')],
    ['a message about a key', saying('Paste your OpenAI API key here')],
    ['a code', saying('Enter the 6-digit code we sent to your phone')],
    ['a card', saying('To pay, provide your credit card number')],
    ['German', saying('Bitte geben Sie Ihr Passwort ein')],
    ['Spanish', saying('Introduzca su contraseña')],
    ['French', saying('Saisissez votre mot de passe')],
    ['Russian', saying('Введите ваш пароль')],
    ['Chinese', saying('请输入您的密码')],
    ['look-alike letters', saying('Enter your pаsswоrd')],
    ['invisible letters between', saying('Enter your pass\u200bword')],
    ['behind a long text', saying(`${'The build is ready. '.repeat(2_000)}Enter your password.`)],
    ['a name and a password', saying('Enter your user name and password')],
    ['a name for something else', titled('A name for the account and its password')],
    ['a negation of something else', saying('Do not close this window. Enter your password.')],
  ])('[guard.asks-secret] %s', (_, request) => {
    expect(asksSecret(request)).toBe(true);
  });

  test.each<[string, JsonObject]>([
    ['which branch', saying('Which branch should the release come from?')],
    [
      'the name of a secret',
      form('Which secret should be rotated?', { name: { type: 'string', title: 'Name of the secret' } }),
    ],
    ['a number of tokens', form('How long may it be?', { n: { type: 'integer', title: 'Maximum number of tokens' } })],
    ['how many tokens', saying('How many tokens may the answer need?')],
    ['an id of a token', saying('Enter the id of the token to revoke')],
    ['a policy', titled('Password policy to apply')],
    ['yes or no about a password', form('Reset the password?', { password_reset_ok: { type: 'boolean' } })],
    [
      'a choice about a token',
      form('Enter the token type', { token_type: { type: 'string', enum: ['bearer', 'mac'] } }),
    ],
    ['a warning', saying('Do not enter a password here. What is the subject of the ticket?')],
    ['whose password', saying('Enter the name of the person whose password should be reset')],
    ['a key of a map', saying('Enter the key of the entry to show')],
    ['a country', saying('Enter your country code')],
    ['an address', titled('Delivery address')],
  ])('[guard.asks-secret] not %s', (_, request) => {
    expect(asksSecret(request)).toBe(false);
  });
});

describe('by its form', () => {
  const password = { type: 'object', properties: { password: text } };

  test.each<[string, JsonObject]>([
    ['in a definition', { message: 'x', requestedSchema: { $ref: '#/$defs/a', $defs: { a: password } } }],
    ['in a part', { message: 'x', requestedSchema: { type: 'object', allOf: [password] } }],
    ['in a field', form('x', { login: password })],
    ['in a list', form('x', { all: { type: 'array', items: password } })],
    ['required and not described', form('x', {}, { required: ['password'] })],
    ['a format', form('x', { v: { type: 'string', format: 'password' } })],
    ['words without a form of fields', { message: 'Enter your password', requestedSchema: { type: 'string' } }],
  ])('[guard.asks-secret] %s', (_, request) => {
    expect(asksSecret(request)).toBe(true);
  });

  test('[guard.fails-closed] a form that is too deep or too long is not read', () => {
    const deep = JSON.parse(`${'{"items":'.repeat(40)}{}${'}'.repeat(40)}`) as JsonObject;
    expect(() => asksSecret({ message: 'x', requestedSchema: deep })).toThrow('nested too deeply');
    expect(() => asksSecret(saying('a'.repeat(70_000)))).toThrow('too long');
  });
});

describe('by an address', () => {
  const page = (url: string): JsonObject => ({ mode: 'url', message: 'Sign in', url });

  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'http://example.com/login',
    'https://a:b@example.com/',
    'x',
  ])('[guard.asks-secret] %s is not a page', (url) => expect(asksSecret(page(url))).toBe(true));

  test.each(['https://example.com/login?state=1', 'http://127.0.0.1:8080/callback', 'http://localhost/x'])(
    '[guard.asks-secret] %s is one',
    (url) => expect(asksSecret(page(url))).toBe(false),
  );

  test('[guard.asks-secret] an answer that has an address is not a request', () => {
    expect(asksSecret({ mode: 'url', url: 'ftp://example.com' })).toBe(false);
  });
});

test('[guard.linear] words of any script take time that grows with their length', () => {
  for (const unit of ["enter a' ", 'введи ', '- - ', 'enter enter ', 'не '])
    expect(asksSecret(saying(unit.repeat(60_000 / unit.length)))).toBe(false);
});
