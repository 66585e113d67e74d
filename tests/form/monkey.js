([seed, steps]) => {
  let state = seed;
  const dice = sides => { state = (state * 1664525 + 1013904223) % 4294967296; return Math.floor(state / 4294967296 * sides); };
  const changed = e => { for (const type of ["input", "change"]) e.dispatchEvent(new Event(type, { bubbles: true })); };
  const plots = ["2F R F", "F SL F", "L 3F", "10F"];
  const press = e => {
    if (e.tagName === "SELECT") {
      const open = [...e.options].filter(option => !option.disabled);
      e.value = open[dice(open.length)].value;
      changed(e);
    } else if (e.classList.contains("number")) {
      e.value = dice(33);
      changed(e);
    } else if (e.type === "text") {
      if (e.id.endsWith("-codes")) { e.value = plots[dice(plots.length)]; changed(e); }
    } else if (e.dataset.hex) {
      const at = e.getBoundingClientRect();
      const where = { bubbles: true, clientX: at.x + at.width / 2, clientY: at.y + at.height / 2 };
      document.querySelector("#map-box .map").dispatchEvent(new MouseEvent("click", where));
    } else e.click();
  };
  const things = "#units button, #steps select, #steps button, #steps input, .map [data-hex]";
  for (let n = 0; n < steps; n++) {
    const all = [...document.querySelectorAll(things)].filter(e => !e.disabled && e.id !== "continue" && !e.id.endsWith("-clear"));
    const adds = all.filter(e => /-add$|-usual$/.test(e.id));
    const pool = dice(3) === 0 && adds.length ? adds : all;
    if (pool.length) press(pool[dice(pool.length)]);
  }
  /* What is said to be wrong is mended, as a player would. */
  const tabs = Math.max(1, document.querySelectorAll("#units button").length);
  for (let tab = 0; tab < tabs; tab++) {
    document.getElementById("tab" + tab)?.click();
    /* What is wrong with a line that is being made, and not in the text, mends nobody. */
    const amiss = () => document.querySelector("#steps .err:not(.build .err)");
    for (let tries = 0; tries < 40 && amiss(); tries++) {
      const wrong = amiss(), line = wrong.closest("li")?.querySelector("[id$='-x']");
      const plot = wrong.closest("section").querySelector("[id$='-clear']"), steer = wrong.closest("section").querySelector("[id*='-steer-'][id$='-x']");
      if (line) line.click();
      else if (plot && !plot.disabled) plot.click();
      else if (steer) steer.click();
      else if (document.querySelector("[id$='-usual']") && wrong.closest(".gauge, .eaf")) document.querySelector("[id$='-usual']").click();
      else { wrong.closest(".build")?.querySelector("select")?.selectedIndex; break; }
    }
  }
  return [orderForm.text(), orderForm.faults().map(fault => fault.text)];
}
