/** A text of about `units` UTF-16 units that is built to be slow to read. */
export type HostileShape = (units: number) => string;

/** `unit` over and over, with something in front and behind. */
function repeated(unit: string, before = "", after = ""): HostileShape {
  return (units) => before + unit.repeat(Math.ceil(units / unit.length)) + after;
}

function all(units: readonly string[], before = ""): Record<string, HostileShape> {
  return Object.fromEntries(units.map((unit) => [JSON.stringify(before + unit), repeated(unit, before)]));
}

const call = "<tool_call>{}</tool_call>";
const block = "<think>a</think>";

/** Shapes for the sanitiser, by name. */
export const markupShapes: Record<string, HostileShape> = {
  ...all([
    "<|",
    "<|a",
    "<｜",
    "<",
    "< ",
    "</",
    "<think>",
    "</think>",
    "</think",
    "<think",
    "<think>x</think>y",
    "<internal>",
  ]),
  ...all(['<think a="', "<think a='b\" ", "<think/>", "<final>", "a</think>", "`<think>`", "```<think>\n```\n"]),
  ...all(["<relevant-memories>", "</relevant-memories>", "<relevant-memories", "]<]minimax[>["]),
  ...all([
    "<tool_call>",
    "</tool_call>",
    "<tool_call>{",
    call,
    '<tool_call "',
    '<tool_call \\"',
    "<tool_calls>",
    "<tool_call>x <",
  ]),
  ...all([
    "<function=a><parameter>",
    '.<function name="a"><parameter>',
    "<arg_key>",
    "<arg_value>",
    "<tool_call>a<arg_key>",
  ]),
  ...all([
    "<function_response>",
    "\n<function_response>\n",
    "<tool_call><name>a</name></tool_call>",
    '<x:invoke name="y">',
  ]),
  ...all(["<invoke>", "<invoke", "</invoke>", "<minimax:tool_call>"], "<minimax:tool_call>"),
  ...all([
    "[Tool Call: ",
    "[Tool Call: x]",
    "[Tool Call: \n",
    "[Tool Call: x]\nArguments: {",
    "[Tool Result for ID 1]",
    "[Tool Result ",
    "[Historical context: [[",
  ]),
  ...all([
    "[TOOL_CALL]",
    "[TOOL_CALL]{",
    "[TOOL_CALL] tool => ",
    "[TOOL_CALLS][",
    "[tool:a]{",
    "[tool:a] ",
    "[tool:a]{}",
  ]),
  ...all(["[ls]\n{", "[ls]\n{}\n"], "[END_TOOL_REQUEST]"),
  ...all(["commentary to=a {", "tool call", "tool_call: a\n", "🛠️ ", "🛠️ Exec: a\n", "⚠️🛠️"]),
  ...all(["\n", " ", "[", "[[]"], "[Tool Result for ID 1]"),
  ...all(["`", "` ", "\\`", "```\n", "~", "~~~\n", ">", "> \n", "- ", "1. ", "\n", "\t", "    a\n"], block),
  "back-tick runs of every length": (units) => {
    let text = block;
    for (let length = 1; text.length < units; length += 1) text += `${"`".repeat(length)} `;
    return text;
  },
  "deep lists and blank lines": (units) => `${block}\n${"- ".repeat(units >> 2)}${"\n".repeat(units >> 1)}`,
  "lists that go in and out": (units) => {
    let text = block;
    for (let line = 0; text.length < units; line += 1) text += `${" ".repeat(2 * (line % 60))}- a\n`;
    return text;
  },
  "tags nested by joins": (units) => `${"<thi".repeat(units >> 4)}${block}${"nk>y</think>".repeat(units >> 4)}`,
  "tokens nested by joins": (units) => `${"<|".repeat(units >> 3)}a|>${"b|>".repeat(units >> 3)}`,
};

const begin = "-----BEGIN PRIVATE KEY-----";
const end = "-----END PRIVATE KEY-----";

/** Shapes for the redactor, by name. */
export const secretShapes: Record<string, HostileShape> = {
  ...all([
    "https://a:",
    "https://a:@",
    "https://a:b@c/",
    "https://a?token=b&",
    "://",
    "A.",
    "A.=",
    "a:",
    "a=",
    "&",
    "&a=",
    "&token=",
    "?",
  ]),
  ...all([
    "token=",
    'token="',
    "token: ",
    '"token":',
    '\\"token\\":\\"',
    "token=>",
    "token = a ",
    "token: The words, ",
    "password='a\n",
  ]),
  ...all([
    "AB_KEY=",
    "api key: ",
    "key: ",
    "code=a ",
    "a=b&",
    "&%5Fa=",
    "value: ",
    "name: TOKEN\n value: ",
    "token: |\n  ",
    'token="${',
  ]),
  ...all([
    "Bearer ",
    "Authorization: ",
    "Authorization: Digest a=",
    "Cookie: ",
    "Cookie: a=b; ",
    "--token ",
    "--",
    "-u a:b1 ",
  ]),
  ...all([
    "| token | x ",
    "<token>",
    "<token>xy1234567</token>",
    "PASSWORD 'x' ",
    "**:",
    "=",
    ":",
    "\\:",
    '"',
    "'",
    "`",
    "…",
    "abcdef…cdef",
  ]),
  ...all([begin, `${begin}\nMIIE\n`, end, `MIIEabcdefghijklmnop\n${end}\n`, "-----BEGIN CERTIFICATE-----", "-"]),
  ...all(["\n", "\\n", "A", "AAAA\n", " \n"], begin),
  ...all([
    `${"gh"}p_`,
    "sk-",
    "sk-a-",
    "sk_",
    "ey" + "J",
    "eyJhbGciOiJI.",
    "eyJaaaaaaaaaa..",
    "AK" + "IA",
    "AIza_",
    "xoxb-",
    "SG.",
    "dp.st.",
  ]),
  ...all([
    "1//0",
    "LT" + "AI",
    "dapi0",
    "gAAAA",
    "123456:",
    "1",
    "a/",
    "aB3+/x",
    ";base64,",
    "A_",
    "k-",
    ".",
    "word ",
    "😀",
    "\ud83d",
  ]),
  ...all(["--a", "eyJ-", "authorization=a(", "eyJaaaaaaaaa-", "SG.aaaaaaaaaaaaa-"]),
  "words that only look like keys, and one that is": repeated("sk-", "", "A1"),
  "names that only look like tokens": repeated("pplx-a_", "", "A1"),
  "line breaks inside a key": repeated("\n", `${begin}\nAAAA`, "AAAA"),
  "escaped line breaks inside a key": repeated("\\n", `${begin}\\nAAAA`, `AAAA${end}`),
  "keys that only begin": repeated(begin),
  "spaces before a colon": repeated(" ", "token", ":"),
  "one long quoted value": repeated("a", 'password="'),
  "a password with a slash": repeated("https://a:b/c", "", "@"),
};
