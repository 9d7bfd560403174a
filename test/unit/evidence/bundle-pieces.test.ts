/** The text of a bundle split at its own level and at that of its entries, whatever stands in a piece. */
import { bundlePieces, type Piece } from '#core/evidence/bundle-pieces.ts';

async function pieces(text: string, size = text.length): Promise<Piece[]> {
  async function* chunks() {
    for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
  }
  const found: Piece[] = [];
  for await (const piece of bundlePieces(chunks())) found.push(piece);
  return found;
}
const shown = (found: Piece[]) => found.map(({ key, text }) => (key === undefined ? text : `${key}=${text}`));

test.each<[string, string[]]>([
  ['{}', []],
  [' \n\t\r{ \n\t\r}\n', []],
  ['{"a":1}', ['a=1']],
  ['{ "a" : 1 , "b" : "x" }', ['a=1 ', 'b="x" ']],
  ['{"entries":[]}', []],
  ['{"entries":[],"a":1}', ['a=1']],
  ['{"a":1,"entries":[{"x":1},2 , [3]],"b":2}', ['a=1', '{"x":1}', '2 ', '[3]', 'b=2']],
  ['{"entries":5}', ['entries=5']],
  ['{"entries":{"x":[1]}}', ['entries={"x":[1]}']],
  ['{"a":[1,[2,{"b":3}],{}],"c":{"d":[4]}}', ['a=[1,[2,{"b":3}],{}]', 'c={"d":[4]}']],
  ['{"a":"}],\\"{[","b":1}', ['a="}],\\"{["', 'b=1']],
  ['{"a":"\\\\","b":1}', ['a="\\\\"', 'b=1']],
  ['{"\\u0061\\"":1}', ['a"=1']],
  ['{"entries":["]",{"a":"}"}]}', ['"]"', '{"a":"}"}']],
  ['{"a":{"entries":[1,2]}}', ['a={"entries":[1,2]}']],
])('[evidence.verify-streamed] %j has the pieces %j, however it is cut', async (text, expected) => {
  for (const size of [1, 2, 3, text.length]) expect(shown(await pieces(text, size))).toEqual(expected);
});

test.each<[string, RegExp]>([
  ['', /the end at character 1\.$/],
  ['  ', /the end at character 3\.$/],
  ['[]', /no object at character 1\.$/],
  ['5', /no object at character 1\.$/],
  ['{', /the end at character 2\.$/],
  ['{"a"', /the end at character 5\.$/],
  ['{"a', /the end at character 4\.$/],
  ['{"a":', /the end/],
  ['{"a":1', /the end at character 7\.$/],
  ['{"a":"x', /the end/],
  ['{"entries":[', /the end/],
  ['{"entries":[1', /the end/],
  ['{"entries":[1]', /the end at character 15\.$/],
  ['{,', /no name of a member at character 2\.$/],
  ['{a:1}', /no name of a member at character 2\.$/],
  ['{"a":1,}', /no name of a member at character 8\.$/],
  ['{"a" 1}', /no colon behind a name at character 6\.$/],
  ['{"a":1]', /a bracket of another kind at character 7\.$/],
  ['{"entries":[1}', /a bracket of another kind at character 14\.$/],
  ['{"entries":[1]]', /no comma and no end at character 15\.$/],
  ['{"entries":[] "a":1}', /no comma and no end at character 15\.$/],
  ['{} {', /text behind the end at character 4\.$/],
  ['{"a":1,"a":2}', /the member "a" twice/],
  ['{"entries":[],"entries":[]}', /the member "entries" twice/],
  ['{"a\\x":1}', /whose name is not valid JSON: "a\\x"/],
])('%j is not a bundle', async (text, message) => {
  for (const size of [1, Math.max(1, text.length)])
    await expect(pieces(text, size)).rejects.toMatchObject({
      ...{ code: 'invalid_request', message: expect.stringMatching(message) },
    });
});
