"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const main = $("findings");
  const findings = [...main.querySelectorAll("details.finding")];
  const texts = new Map(findings.map((f) => [f, f.textContent.toLowerCase()]));

  const filter = () => {
    const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const severities = new Set([...document.querySelectorAll("[name=severity]:checked")].map((box) => box.value));
    const rule = $("rule").value;
    const releases = [...document.querySelectorAll("select.release")].filter((choice) => choice.value);
    let shown = 0;
    for (const finding of findings) {
      const data = finding.dataset;
      const visible = severities.has(data.severity) && (!rule || data.rule === rule)
        && releases.every((choice) => choice.dataset.provider === data.provider
          && (data.releases ?? "").split(" ").includes(choice.value))
        && ($("aside").checked || data.state === "open") && words.every((word) => texts.get(finding).includes(word));
      finding.hidden = !visible;
      shown += visible ? 1 : 0;
    }
    for (const section of main.children) section.hidden = !section.querySelector("details.finding:not([hidden])");
    $("shown").textContent = `${shown} of ${findings.length} shown`;
  };

  const group = () => {
    const key = $("group").value;
    const groups = new Map();
    for (const finding of findings) {
      const name = finding.dataset[key];
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name).push(finding);
    }
    const sections = [...groups.keys()].sort().map((name) => {
      const section = document.createElement("section");
      const title = document.createElement("h2");
      title.textContent = name;
      section.append(title, ...groups.get(name));
      return section;
    });
    main.replaceChildren(...sections);
    filter();
  };

  document.querySelector(".controls").addEventListener("submit", (event) => event.preventDefault());
  $("search").addEventListener("input", filter);
  for (const box of document.querySelectorAll("[name=severity], #rule, #aside, select.release")) box.addEventListener("change", filter);
  $("group").addEventListener("change", group);
  $("expand").addEventListener("click", () => {
    const open = !findings.some((finding) => !finding.hidden && finding.open);
    for (const finding of findings) if (!finding.hidden) finding.open = open;
    $("expand").textContent = open ? "Collapse all" : "Expand all";
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(INPUT|SELECT)$/.test(document.activeElement.tagName)) {
      event.preventDefault();
      $("search").focus();
    }
  });
  addEventListener("beforeprint", () => findings.forEach((finding) => { finding.open = !finding.hidden; }));
  const target = location.hash.startsWith("#f-") && $(location.hash.slice(1));
  if (target) target.open = true;
  filter();
})();
