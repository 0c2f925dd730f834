import { createFakePlatformServer, type PlatformResponse } from "@trunkline/testkit";

export interface PostedMessage {
  readonly chat_id: string;
  readonly text: string;
  readonly message_thread_id?: number;
  readonly parse_mode?: string;
}

/** A Bot API that keeps the vendor's limits: 4096 characters as a reader sees them, HTML that is well formed, one topic a chat. */
export async function startBotApi(answers: (PlatformResponse | undefined)[] = []) {
  const posted: PostedMessage[] = [];
  let ids = 0;
  const refuse = (error_code: number, description: string): PlatformResponse => ({
    status: error_code,
    json: { ok: false, error_code, description },
  });
  const server = await createFakePlatformServer({
    routes: {
      "POST /bot:token/sendMessage": ({ body }) => {
        const trouble = answers.shift();
        if (trouble) return trouble;
        const message: PostedMessage = JSON.parse(body);
        const shown = readHtml(message.text);
        if (shown === undefined) return refuse(400, "Bad Request: can't parse entities");
        if (shown.length === 0) return refuse(400, "Bad Request: message text is empty");
        if (shown.length > 4096) return refuse(400, "Bad Request: message is too long");
        posted.push(message);
        const chat = { id: Number(message.chat_id), type: "supergroup" };
        return { status: 200, json: { ok: true, result: { message_id: ++ids, date: 1, chat } } };
      },
      "POST /bot:token/createForumTopic": () => ({
        status: 200,
        json: { ok: true, result: { message_thread_id: 77, name: "topic", icon_color: 1 } },
      }),
    },
  });
  return { server, posted };
}

/** What a reader sees of HTML; `undefined` where a tag is left open or an entity is cut. */
export function readHtml(html: string): string | undefined {
  const open: string[] = [];
  for (const [, slash, name = ""] of html.matchAll(/<(\/?)([a-z]+)[^>]*>/g)) {
    if (slash === "") open.push(name);
    else if (open.pop() !== name) return undefined;
  }
  const text = html.replace(/<\/?[a-z]+[^<>]*>/g, "");
  if (open.length > 0 || /[<>]/.test(text)) return undefined;
  if (/&(?!(amp|lt|gt|quot);)/.test(text)) return undefined;
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}

/** An update as Telegram posts it to a webhook. */
export function update(id: number, text: string, more: object = {}) {
  return {
    update_id: id,
    message: {
      message_id: id,
      text,
      date: 1,
      from: { id: 42, is_bot: false },
      chat: { id: -1001, type: "supergroup" },
      ...more,
    },
  };
}
