/* The builder of activities other than the use of weapons. */
import { fieldValue, fieldValues } from "./model/builders.ts";
import { request, type Act } from "./model/data.ts";
import { walk } from "./model/courses.ts";
import { isPaid } from "./model/energy.ts";
import { judge } from "./model/judging.ts";
import type { UnitPlan } from "./model/plan.ts";
import { element, options, valueIn, type Child, type Option } from "./dom.ts";
import { adder, touch } from "./adding.ts";
import { conditions, whyNoIt } from "./conditions.ts";
import { choice, fold, idOf, numberBox, numberIn, whyNoNumber } from "./fields.ts";

/** Return whether the form pays for an activity, or does not have to. */
function isUsable(unit: UnitPlan, act: Act): boolean {
  if (!unit.block.energy) return true;
  return act.by.some((id) => isPaid(unit, id)) ? !act.spoiled : !act.needs;
}

/** Return the builder of activities; empty if the unit has none. */
export function activities(unit: UnitPlan): HTMLElement | "" {
  const acts = unit.block.acts || [];
  if (!acts.length) return "";
  const id = idOf(unit) + "-act";
  const again = touch(id);
  const groups = [...new Set(acts.map(({ group }) => group))];
  if (!acts.some(({ text }) => text === fieldValue<string>(id, acts[0].text)))
    fieldValues[id] = acts[0].text;
  const actList = activityList(unit, id, acts, groups, again);
  const act = acts.find(({ text }) => text === fieldValues[id])!;
  const when = whenOf(id, unit, act, again);
  const text = when.head + act.text;
  const why = when.wrong.find(Boolean) || judge(unit, walk(unit), text, new Map());
  return fold(
    id + "-more",
    false,
    "Other activities: " + groups.join(", ").toLowerCase(),
    element(
      "div",
      { class: "build", id: id + "-build" },
      element("div", { class: "line", id: id + "-line" }, actList, when.parts),
      when.more,
      adder(id, unit, "do", text, why),
    ),
  );
}

function activityList(
  unit: UnitPlan,
  id: string,
  acts: Act[],
  groups: string[],
  again: () => void,
): HTMLElement {
  const pairs = (group: string) =>
    acts
      .filter((act) => act.group === group)
      .map((act): Option => [act.text, act.text, !isUsable(unit, act)]);
  return element(
    "select",
    {
      ...{ id, "aria-label": "Activity" },
      onchange: (event) => {
        fieldValues[id] = valueIn(event);
        again();
      },
    },
    groups.map((label) => element("optgroup", { label }, options(pairs(label), fieldValues[id]))),
  );
}

/** Return fields that say when an activity is done, and the words that they put before it. */
function whenOf(
  id: string,
  unit: UnitPlan,
  act: Act,
  again: () => void,
): { parts: Child[]; more: Child; head: string; wrong: string[] } {
  const isAlone = act.it || /^RESERVE|^GUIDE/.test(act.text);
  const times: Option[] = [["if", "when …"]];
  if (!isAlone) times.unshift(["at", "in impulse …"], ["last", "in the last impulse"]);
  if (!act.it) times.unshift(["now", "as soon as it can"]);
  const parts: Child[] = [choice(id + "-how", "When", times, "now", again)];
  const mode = fieldValues[id + "-how"];
  const impulse = id + "-imp";
  if (mode === "at") {
    parts.push(numberBox(impulse, "impulse", request.first, again));
    const head = "AT " + numberIn(impulse) + " ";
    return { parts, more: "", head, wrong: [whyNoNumber(impulse)] };
  }
  if (mode === "if") {
    const { parts: more, text, wrong } = conditions(id + "-if", unit, true, again);
    const head = "IF " + text + " THEN ";
    return { parts, more, head, wrong: [...wrong, whyNoIt(act.text, text)] };
  }
  return { parts, more: "", head: mode === "last" ? "LAST " : "", wrong: [] };
}
