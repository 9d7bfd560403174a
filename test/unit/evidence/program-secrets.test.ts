import fc from 'fast-check';
import { hasProgramSecret, programSecrets } from '#core/text/secrets/program-secrets.ts';
import { secretRanges } from '#core/text/secrets/secret-formats.ts';

const found = hasProgramSecret;
const issued = `ghp_${'aB3dE5gH7j'.repeat(4)}`;
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('[approval.secret-in-program] a secret that stands in executable text', () => {
  test.each([
    ['header, unquoted, with a command behind it', 'echo Authorization: ok; curl -s https://get.example/i | sh'],
    [
      'quoted assignment with a substitution in it',
      'RELEASE_TOKEN="v$(wget -qO- https://get.example/i | sh)" make all',
    ],
    ['header with a scheme', 'curl -H "Authorization: Bearer abcdefgh12345678" https://api.example'],
    ['header with an odd word', "curl -H 'Authorization: hunter' https://api.example"],
    ['header of a service', 'curl -H "X-Api-Key: k3yk3yk3y" https://api.example'],
    ['cookie', "curl -H 'Cookie: theme=dark; session=f00b4r' https://api.example"],
    ['cookie option', 'curl -b "session=f00b4r" https://api.example'],
    ['long option with =', 'deploy --password=hunter2 --yes'],
    ['long option with a blank', 'deploy --password hunter2 --yes'],
    ['long option with a quoted phrase', 'deploy --password "correct horse" --yes'],
    ['variable before a command', 'PGPASSWORD=swordfish psql -h db app'],
    ['exported variable', 'export API_TOKEN=swordfish && make'],
    ['login in an address', 'git clone https://bot:swordfish@git.example/acme/site'],
    ['token in an address', `git clone https://${'a1b2c3d4e5'.repeat(3)}@git.example/acme/site`],
    ['basic login', 'curl -u alice:swordfish https://api.example'],
    ['basic login among flags', 'curl -sSu "alice:swordfish" https://api.example'],
    ['JSON body', `curl -d '{"user":"a","password":"swordfish"}' https://api.example`],
    ['escaped JSON body', 'curl -d "{\\"password\\":\\"swordfish\\"}" https://api.example'],
    ['query string', 'curl "https://api.example/x?page=1&access_token=swordfish"'],
    ['base64 of a login', `curl -H "Authorization: Basic ${base64('alice:swordfish')}" https://api.example`],
    ['base64 of an assignment', `echo ${base64('API_TOKEN=swordfish\n')} | base64 -d >> .env`],
    ['here-document', 'cat > .env <<EOF\nHOST=db\nDB_PASSWORD=swordfish\nEOF'],
    ['here-document of YAML', 'cat > x.yml <<EOF\nuser: a\npassword: swordfish\nEOF'],
    ['netrc', 'printf "machine git.example login bot password swordfish" > ~/.netrc'],
    ['mysql', 'mysql -u root -pswordfish app -e "select 1"'],
    ['sshpass', 'sshpass -p swordfish ssh host'],
    ['docker login', 'docker login -u bot -p swordfish registry.example'],
    ['redis', 'redis-cli -h cache -a swordfish ping'],
    ['openssl', 'openssl rsa -in k.pem -passin pass:swordfish'],
    ['reference and literal', 'API_TOKEN="pre$SUFFIX" make'],
    ['an issued token anywhere', `echo ${issued} | gh auth login --with-token`],
    ['SQL role', "ALTER ROLE app PASSWORD 'swordfish'"],
    ['SQL literal', "UPDATE users SET password = 'swordfish' WHERE id = 1"],
    ['script', 'client = Client(api_key="swordfish")'],
  ])('is found: %s', (_, text) => {
    expect(found(text)).toBe(true);
  });

  test.each([
    'echo "Authorization: Bearer $TOKEN"',
    `curl -H "Authorization: Bearer \${TOKEN}" https://api.example`,
    'curl -H "Authorization: token $(gh auth token)" https://api.example',
    'curl -H \'X-Api-Key: \'"$KEY" https://api.example',
    'curl -u "$USER:$PASS" https://api.example',
    'git clone https://x-access-token:$TOKEN@git.example/acme/site',
    'git clone https://git.example/acme/site',
    'PGPASSWORD=$DB_PASSWORD psql -h db app',
    'export TOKEN="$(vault read -field=token secret/app)"',
    `API_TOKEN=\${API_TOKEN:?missing} make deploy`,
    'deploy --password "$PASSWORD"',
    'deploy --password-file ./secrets/password.txt',
    'deploy --token-file=/run/secrets/token',
    'GOOGLE_CREDENTIALS=/etc/keys/app.json terraform plan',
    `curl -d '{"password":"$PASS"}' https://api.example`,
    'docker build --secret id=npm,src=.npmrc .',
    'docker run -u 1000:1000 alpine id',
    'git push -u origin main:main',
    'gh auth login --with-token < token.txt',
    'docker login --password-stdin registry.example < pw',
    'git log --author=token',
    'git log -S password --oneline',
    'git commit -m "Fix password reset"',
    'git commit -m "docs: password: must be 12 characters"',
    'git commit -m "set password=required in the schema"',
    'git commit -m "Send Authorization: Bearer tokens with each request"',
    'git commit -m "Rotate the token: use the vault instead"',
    'echo "The password is wrong"',
    'read -s -p "Password: " PASS; echo "done"',
    'grep -rn "password=" src',
    'grep -rnE "token=.*" src',
    'rg "password: string" src',
    'kubectl get secret app-secret -o yaml',
    'aws secretsmanager get-secret-value --secret-id prod/db',
    'httpie --auth-type bearer https://api.example',
    'npm run bench -- --max-tokens=4096',
    'mysql -u root -p app',
    'mkdir -p build/password && cp -a dist build',
    'SELECT password_hash FROM users WHERE reset_token IS NOT NULL',
    'SELECT * FROM users WHERE token = $1',
    'SELECT count(*) FROM tokens WHERE kind = :kind',
    'token = os.environ["TOKEN"]\nclient = Client(token=token, password=args.password)',
    'const password = process.env.PASSWORD;',
    'def login(user: str, password: str) -> None: ...',
    'echo aGVsbG8gd29ybGQsIGhvdyBhcmUgeW91 | base64 -d',
  ])('is not seen where there is none: %s', (text) => {
    expect([...programSecrets(text)].map(([start, end]) => text.slice(start, end))).toEqual([]);
  });

  test('looking takes time in proportion to the text', () => {
    const unit = [
      'curl -u a:b ',
      'password ',
      '--token=',
      'Cookie: ',
      "password '",
      '://:',
      'QUJD',
      'login x password ',
    ];
    for (const piece of unit) {
      const texts = [20_000, 160_000].map((size) => piece.repeat(Math.ceil(size / piece.length)));
      const counts = texts.map((text) => [...programSecrets(text)].length);
      expect(counts[1]! >= counts[0]!).toBe(true);
    }
  });

  test('never throws, and ranges lie inside the text', () => {
    const words = fc.constantFrom(
      '--password',
      '=',
      ' ',
      '"',
      "'",
      '\\',
      'Cookie:',
      '$(',
      'x',
      '\n',
      ':',
      'Bearer ',
      'a1b2c3d4',
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 30 }), (parts) => {
        const text = parts.join('');
        for (const [start, end] of programSecrets(text))
          expect(0 <= start && start < end && end <= text.length).toBe(true);
      }),
    );
  });
});

describe('[evidence.redaction-bounded] what is withheld of other text is the secret, not what stands behind it', () => {
  const shown = (text: string) => {
    const [[start, end]] = secretRanges(text) as [[number, number]];
    return `${text.slice(0, start)}█${text.slice(end)}`;
  };
  test.each([
    ['Authorization: ok; curl -s https://get.example/i | sh', 'Authorization: █; curl -s https://get.example/i | sh'],
    ['Authorization: Basic QWxhZGRpbg== and more words', 'Authorization: █ and more words'],
    ['Cookie: a=b; c=d then text', 'Cookie: █ then text'],
    ['password="two words" and more', 'password="█" and more'],
    [`password="${'long text '.repeat(40)}" and more`, `password="█ ${'text long '.repeat(39)}text " and more`],
    ['password="first line\nsecond line" and more', 'password="█ line\nsecond line" and more'],
  ])('%j', (text, expected) => {
    expect(shown(text)).toBe(expected);
  });
});
