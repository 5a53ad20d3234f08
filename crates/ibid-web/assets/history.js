// Two scans, and no more, can be ticked for a comparison.

const form = document.getElementById("compare-form");
if (form) {
  const boxes = [...document.querySelectorAll("input[name=scan][form=compare-form]")];
  const button = form.querySelector("[data-compare-button]");
  const hint = form.querySelector("[data-compare-hint]");
  hint.setAttribute("role", "status");
  const update = () => {
    const ticked = boxes.filter((box) => box.checked).length;
    for (const box of boxes) box.disabled = ticked >= 2 && !box.checked;
    button.disabled = ticked !== 2;
    hint.textContent = ["Tick two scans to compare them.", "Tick one more.", "Ready to compare."][Math.min(ticked, 2)];
  };
  for (const box of boxes) box.addEventListener("change", update);
  addEventListener("pageshow", update);
  update();
}
