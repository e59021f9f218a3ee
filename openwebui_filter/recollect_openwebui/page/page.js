const at = (id) => document.getElementById(id), waiting = new Map(), some = (list) => list.filter((each) => each);
const t = (key, values = {}) => WORDS[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
const counted = (key, count) => t(`${key}.${count === 1 ? "one" : "many"}`, {count});
const LONG = {dateStyle: "medium"}, locale = document.documentElement.lang;
let port, asked = 0, isOn = true, all = [], isWhole = false, picked = new Set(), open = null;
const made = (tag, {on, ...attributes}, ...inside) => {
  const one = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== false) one.setAttribute(name, value);
  if (on) one.addEventListener("click", on);
  one.append(...some(inside)); return one;
};
const tell = (told, {bad, undo} = {}) => {
  at("told").className = bad ? "bad" : "";
  at("told").replaceChildren(...some([told, undo?.length && made("button", {on: () => undone(undo)}, t("undo"))]));
  if (undo?.length) at("told").querySelector("button").focus();
};
const ask = async (request) => {
  const reply = await new Promise((done) => { waiting.set(++asked, done); port.postMessage({...request, n: asked}); });
  return reply.failed ? tell(t(`refused.${reply.failed}`), {bad: true}) : reply;
};
const day = (time, style = LONG) => new Date(time).toLocaleDateString(locale, style);
const quietDay = (time) => day(time, new Date(time).getFullYear() === new Date().getFullYear() ? {day: "numeric", month: "short"} : LONG);
const short = (text) => text.length > 50 ? text.slice(0, 49) + "\u2026" : text;
const origin = ({observed_at: time, provenance: {evidence}, source}) =>
  t(evidence ? "said" : ["manual", "import", "global"].includes(source) ? `source.${source}` : "noted", {day: day(time)});
const recalled = ({use, topics}) => use === "always" ? t("recalled.always") : use === "asked" ? t("recalled.asked") :
  topics?.length ? t("recalled.topics", {topics: topics.join(", ")}) : "";
const kindOf = (kind) => { const name = t(`kind.${kind}`); return name[0].toLocaleUpperCase(locale) + name.slice(1); };
const details = ({content, kind, provenance: {evidence}, ...memory}) => made("div", {class: "more"},
  evidence && evidence.trim() !== content.trim() && made("blockquote", {}, evidence),
  ...some([kindOf(kind), origin({...memory, provenance: {evidence}}), recalled(memory)]).map((each) => made("p", {class: "meta"}, each)));
const form = (text, label, save, leave, maxlength = 8000) => {
  const field = made("textarea", {"aria-label": label, maxlength}), commit = async () => { if (!await save(field.value)) field.focus(); };
  field.value = text; field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) commit();
    if (event.key === "Escape") { event.stopPropagation(); leave(); }
  });
  const buttons = [made("button", {class: "strong", on: commit}, t("save")), made("button", {on: leave}, t("cancel"))];
  return made("div", {class: "form"}, field, made("div", {class: "buttons"}, ...buttons));
};
const closeMenu = () => { document.querySelector(".popup")?.remove(); open?.setAttribute("aria-expanded", "false"); open?.focus(); open = null; };
const row = (memory) => {
  const item = made("li", {}), name = short(memory.content);
  const choose = made("input", {type: "checkbox", class: "pick", "aria-label": t("choose", {text: name})});
  choose.checked = picked.has(memory.id);
  choose.addEventListener("change", () => { picked[choose.checked ? "add" : "delete"](memory.id); showPicked(); });
  const text = made("button", {class: "text", "aria-expanded": "false", on: () => {
    const more = item.querySelector(".more"); more ? more.remove() : item.append(details(memory));
    text.setAttribute("aria-expanded", String(!more));
  }}, memory.content);
  const correct = () => {
    closeMenu(); const leave = () => { item.replaceWith(row(memory)); };
    const field = form(memory.content, t("content"), async (content) => {
      const reply = await ask({request: "correct", id: memory.id, content});
      if (!reply) return false;
      memory.content = content.trim(); draw(); tell(t("corrected"), {undo: some([reply.change])}); return true;
    }, leave);
    item.replaceChildren(field); field.querySelector("textarea").focus();
  };
  const entries = [["correct", correct], ["forget", () => { closeMenu(); forget([memory.id]); }],
    /^[0-9a-f-]{36}$/i.test(memory.provenance.session_id ?? "") && ["chat", () => { closeMenu(); port.postMessage({request: "chat", id: memory.provenance.session_id}); }]];
  const menu = made("button", {class: "menu", "aria-haspopup": "menu", "aria-expanded": "false", "aria-label": t("actions", {text: name}), on: (event) => {
    event.stopPropagation(); const was = open; closeMenu(); if (was === menu) return;
    const popup = made("div", {class: "popup", role: "menu"}, ...some(entries).map(([key, on]) => made("button", {role: "menuitem", on}, t(key))));
    popup.addEventListener("keydown", ({key}) => {
      const buttons = [...popup.children], to = buttons.indexOf(document.activeElement) + {ArrowDown: 1, ArrowUp: -1}[key];
      if (!Number.isNaN(to)) buttons.at(to % buttons.length).focus();
    });
    open = menu; menu.setAttribute("aria-expanded", "true"); item.append(popup); popup.firstChild.focus();
  }}, "\u22ef");
  item.append(made("div", {class: "row"}, choose, text, memory.project && made("span", {class: "meta"}, memory.project), made("time", {datetime: memory.observed_at}, quietDay(memory.observed_at)), menu));
  return item;
};
const showPicked = () => { at("picked").hidden = !picked.size; at("chosen").textContent = t("chosen", {count: picked.size}); };
const SORTS = {new: () => 0, old: (a, b) => a.observed_at.localeCompare(b.observed_at), text: (a, b) => a.content.localeCompare(b.content, locale)};
const draw = () => {
  const words = at("words").value.toLocaleLowerCase().split(/\s+/).filter((each) => each), kind = at("kind").value;
  const fits = (each) => (!kind || each.kind === kind) && words.every((word) => `${each.content} ${each.provenance.evidence ?? ""}`.toLocaleLowerCase().includes(word));
  const shown = all.filter(fits), sorted = at("sort").value === "new" ? shown : [...shown].sort(SORTS[at("sort").value]);
  at("count").textContent = shown.length < all.length ? t("count.of", {count: shown.length, all: all.length}) : counted("count", all.length);
  if (!isWhole) at("count").textContent += " \u2026";
  const none = all.length ? t("none.found") : t("none");
  at("main").replaceChildren(made("ul", {"aria-label": t("title")}, ...sorted.map(row)), ...some([isWhole && !sorted.length && made("p", {}, none)]));
};
const load = async () => {
  let after = null, read = []; isWhole = false;
  do {
    const reply = await ask({request: "list", after});
    if (!reply) return;
    read = [...read, ...reply.memories]; after = reply.next; all = read; isWhole = !after; draw();
  } while (after && all.length < 10000);
  const kinds = [...new Set(all.map((each) => each.kind))], chosen = at("kind").value;
  at("kind").replaceChildren(made("option", {value: ""}, t("kind.any")), ...kinds.map((each) => made("option", {value: each}, kindOf(each))));
  at("kind").value = kinds.includes(chosen) ? chosen : "";
};
const forget = async (ids) => {
  const reply = await ask({request: "forget", ids});
  if (!reply) return;
  const count = reply.changes.length;
  picked.clear(); showPicked();
  if (count < ids.length) await load(); else { all = all.filter((each) => !ids.includes(each.id)); draw(); }
  tell(count === 1 ? t("forgotten") : t("forgotten.many", {count}), {undo: reply.changes});
};
const undone = async (ids, then = load) => { if (await ask({request: "undo", ids})) { await then(); tell(t("undone")); } };
const VERBS = {add: "remembered", replace: "replaced", edit: "changed", retire: "forgot"};
const changes = async () => {
  const told = (await ask({request: "changes"}))?.changes, gone = new Set(told?.map((each) => each.undoes));
  if (!told) return;
  const rows = told.filter((each) => VERBS[each.action] && !each.undoes && !gone.has(each.id)).map((each) => made("li", {}, made("div", {class: "row change"},
    made("span", {class: "text"}, `${t(VERBS[each.action])}: ${some([each.before, each.after]).join(" \u2192 ")}`),
    made("time", {datetime: each.at}, quietDay(each.at)), made("button", {on: () => undone([each.id], changes)}, t("undo")))));
  at("main").replaceChildren(made("h2", {}, t("changes")), made("ul", {"aria-label": t("changes")}, ...rows), ...some([!rows.length && made("p", {}, t("changes.none"))]),
    made("div", {class: "buttons"}, made("button", {on: load}, t("back"))));
  at("main").querySelector("button").focus();
};
const erased = async () => {
  const {rows, on} = await ask({request: "erase"}) ?? {};
  if (!rows) return;
  const records = Object.values(rows).reduce((sum, each) => sum + each, 0);
  at("words").value = ""; await load(); state({on});
  tell(t("erased", {memories: rows.users_vectors ?? 0, messages: rows.messages ?? 0, records}));
};
const erase = () => {
  const keep = made("button", {on: draw}, t("erase.keep")); tell("");
  at("main").replaceChildren(made("h2", {}, t("erase.title")), made("p", {}, t("erase.text")),
    made("div", {class: "buttons"}, keep, made("button", {class: "risky", on: erased}, t("erase.yes"))));
  keep.focus();
};
const state = (reply) => {
  if (!reply) return;
  isOn = reply.on; at("switch").hidden = false; at("switch").textContent = t(isOn ? "switch.off" : "switch.on");
  at("off").hidden = isOn; at("off").textContent = t("off");
  if ("link" in reply) at("link").hidden = !reply.link;
  if ("held" in reply) { at("held").hidden = !reply.held; at("held").textContent = t("held", {count: reply.held}); }
};
const add = () => {
  const field = form("", t("content"), async (content) => {
    const reply = await ask({request: "add", content});
    if (!reply) return false;
    await load(); tell(t("added"), {undo: some([reply.change])}); return true;
  }, () => { field.remove(); at("add").focus(); });
  document.querySelector("main > .form")?.remove(); at("main").prepend(field); field.querySelector("textarea").focus();
};
const held = async () => {
  const reply = await ask({request: "held"});
  if (!reply) return;
  at("held").hidden = !reply.held.length; at("held").textContent = t("held", {count: reply.held.length});
  const decide = (approved, those) => async () => {
    if (await ask({request: "decide", approved, ids: those.map(({id}) => id)})) { await load(); tell(""); await held(); }
  };
  const buttons = (those, all = "") => [made("button", {class: "strong", on: decide(true, those)}, t(`approve${all}`)),
    made("button", {class: "risky", on: decide(false, those)}, t(`refuse${all}`))];
  const rows = reply.held.map((each) => made("li", {}, made("div", {class: "row change"}, made("span", {class: "text"},
    each.reason === "ended" ? t("held.ended", {text: each.content}) : each.content), ...buttons([each]))));
  const plain = reply.held.filter(({reason}) => ["approval", "ended"].includes(reason));
  at("main").replaceChildren(made("h2", {}, t("held", {count: rows.length})), made("ul", {"aria-label": t("held", {count: rows.length})}, ...rows),
    made("div", {class: "buttons"}, ...(plain.length > 1 ? buttons(plain, ".all") : []), made("button", {on: load}, t("back"))));
  at("main").querySelector("button").focus();
};
const instruct = async () => {
  const reply = await ask({request: "instructions"});
  if (!reply) return;
  const leave = () => { field.remove(); at("instructions").focus(); };
  const field = form(reply.text, t("instructions"), async (text) => {
    if (!await ask({request: "instruct", text})) return false;
    leave(); tell(t("saved")); return true;
  }, leave, 2000);
  field.prepend(made("p", {class: "meta"}, t("instructions.about")));
  document.querySelector("main > .form")?.remove(); at("main").prepend(field); field.querySelector("textarea").focus();
};
at("switch").onclick = async () => {
  const wanted = !isOn, reply = await ask({request: "switch", on: wanted});
  if (!reply) return;
  state(reply); tell(wanted && reply.on ? t("on") : "");
  if (wanted && !reply.on) tell(t("off.by_admin"), {bad: true});
};
for (const key of ["add", "instructions", "changes", "download", "link", "erase"]) at(key).textContent = t(key);
at("forget").textContent = t("forget"); at("leave").textContent = t("cancel"); at("title").textContent = t("title");
at("close").setAttribute("aria-label", t("close")); at("words").placeholder = t("search");
for (const [id, key] of [["words", "search"], ["kind", "kind.label"], ["sort", "sort.label"]]) at(id).setAttribute("aria-label", t(key));
at("kind").append(made("option", {value: ""}, t("kind.any")));
at("sort").append(...Object.keys(SORTS).map((each) => made("option", {value: each}, t(`sort.${each}`))));
for (const request of ["link", "close"]) at(request).onclick = () => port.postMessage({request});
at("download").onclick = () => { port.postMessage({request: "download", text: JSON.stringify(all, null, 2)}); tell(counted("downloaded", all.length)); };
at("add").onclick = add; at("instructions").onclick = instruct; at("held").onclick = held; at("changes").onclick = () => { tell(""); changes(); }; at("erase").onclick = erase;
at("forget").onclick = () => forget([...picked]); at("leave").onclick = () => { picked.clear(); showPicked(); draw(); };
for (const [id, event] of [["words", "input"], ["kind", "change"], ["sort", "change"]]) at(id).addEventListener(event, draw);
addEventListener("click", (event) => { if (open && !event.target.closest(".popup")) closeMenu(); });
addEventListener("keydown", (event) => { if (event.key === "Escape") open ? closeMenu() : port?.postMessage({request: "close"}); });
addEventListener("message", async (event) => {
  if (port || event.source !== parent || !event.ports[0]) return;
  port = event.ports[0];
  port.onmessage = ({data}) => {
    if (data.font) return void new FontFace("Inter", data.font, {weight: "100 900"}).load().then((face) => document.fonts.add(face));
    data.lost ? tell(t("lost"), {bad: true}) : waiting.get(data.n)?.(data); waiting.delete(data.n);
  };
  at("words").focus(); await load(); state(await ask({request: "state"}));
});
